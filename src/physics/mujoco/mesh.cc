// Meshes that MuJoCo does not read, by assimp.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>

#include "physics/mujoco/mesh_files.h"

namespace convoy::mujoco {

Result<Bytes> as_stl(const Bytes& mesh, const std::string& suffix) {
  try {
    Assimp::Importer importer;
    // As ROS's own viewer does: the axes of a .dae are those of its link, whatever its up axis is.
    importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const aiScene* scene =
        importer.ReadFileFromMemory(mesh.data(), mesh.size(),
                                    aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices |
                                        aiProcess_JoinIdenticalVertices,
                                    suffix.c_str());
    if (!scene || scene->mNumMeshes == 0)
      return fail(ErrorCode::kInvalid, std::string("not a mesh: ") + importer.GetErrorString());
    Bytes out(80, ' ');  // the header is blank
    Writer w(out);
    std::uint32_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) count += scene->mMeshes[m]->mNumFaces;
    w.u32(count);
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
      const aiMesh& part = *scene->mMeshes[m];
      for (unsigned f = 0; f < part.mNumFaces; ++f) {
        const float no_normal[3] = {0, 0, 0};
        w.raw(no_normal, sizeof no_normal);
        for (int corner = 0; corner < 3; ++corner) {
          const aiVector3D& v = part.mVertices[part.mFaces[f].mIndices[corner]];
          const float at[3] = {v.x, v.y, v.z};
          w.raw(at, sizeof at);
        }
        w.u16(0);
      }
    }
    return out;
  } catch (const std::exception& e) { return fail(ErrorCode::kInvalid, std::string("not a mesh: ") + e.what()); }
}

}  // namespace convoy::mujoco
