#include "physics/mujoco/look.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/pose.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"

namespace convoy::mujoco {

namespace {

constexpr int kHidden = 3;  // the first of the groups that MuJoCo's viewer does not show

std::string name_of(const mjModel* m, int type, int id) {
  const char* name = mj_id2name(m, type, id);
  return name ? name : "";
}

Color color_of(const float* rgba) {
  Color out{};
  for (std::size_t i = 0; i < 4; ++i)
    out[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(rgba[i], 0.0f, 1.0f)));
  return out;
}

template <class T>
Bytes bytes_of(const T* from, std::size_t count) {
  Bytes out(count * sizeof(T));
  if (count > 0) std::memcpy(out.data(), from, out.size());
  return out;
}

class Look {
 public:
  Look(const Compiled& c, const mjData* d) : c_(c), m_(c.model), d_(d) {}

  Shapes take() {
    out_.category = c_.left.empty() && m_->nu == 0 ? "object" : "robot";
    out_.fixed_base = c_.fixed_base;
    for (int b = 0; b < m_->nbody; ++b) out_.links.push_back(link(b));
    add_textures();
    for (int i = 0; i < m_->nmat; ++i) out_.materials.push_back(material(i));
    for (int g = 0; g < m_->ngeom; ++g) add_geom(g);
    for (int f = 0; f < m_->nflex; ++f) add_flex(f);
    for (int s = 0; s < m_->nskin; ++s) add_skin(s);
    show_something();
    return std::move(out_);
  }

 private:
  std::uint32_t place_of(int qpos) const {
    const auto at =
        std::find_if(c_.joints.begin(), c_.joints.end(), [&](const JointPlace& p) { return p.qpos == qpos; });
    return static_cast<std::uint32_t>(at - c_.joints.begin());
  }

  Link link(int b) const {
    Link out;
    out.name = b == 0 ? "world" : body_name(m_, b);
    out.base = b == 0 ? Link::Base::kPlace : Link::Base::kLink;
    if (b == 0) return out;
    out.parent = static_cast<std::uint32_t>(m_->body_parentid[b]);
    out.X_PL = Pose{vec(m_->body_pos + 3 * b), unit(quat(m_->body_quat + 4 * b))};
    if (const int mocap = m_->body_mocapid[b]; mocap >= 0) {
      out.base = Link::Base::kFree, out.parent = kNoPart;
      out.at = static_cast<std::uint32_t>(c_.first_mocap) + 7 * static_cast<std::uint32_t>(mocap);
    }
    for (int j = m_->body_jntadr[b]; j >= 0 && j < m_->body_jntadr[b] + m_->body_jntnum[b]; ++j) {
      if (m_->jnt_type[j] == mjJNT_FREE) free(b, m_->jnt_qposadr[j], out);
      else out.joints.push_back(joint(j));
    }
    return out;
  }

  void free(int b, int qpos, Link& out) const {
    const bool base = !c_.fixed_base && c_.free[0].body == b;
    out.base = base ? Link::Base::kRobot : Link::Base::kFree;
    out.parent = kNoPart;
    if (base) out.X_PL = c_.X_BR.inverse();
    else out.at = place_of(qpos);
  }

  LinkJoint joint(int j) const {
    LinkJoint out;
    const int qpos = m_->jnt_qposadr[j];
    out.at = place_of(qpos);
    out.anchor = vec(m_->jnt_pos + 3 * j), out.axis = vec(m_->jnt_axis + 3 * j);
    switch (m_->jnt_type[j]) {
      case mjJNT_BALL: out.type = LinkJoint::Type::kBall, out.axis = {0, 0, 1}; break;
      case mjJNT_SLIDE: out.type = LinkJoint::Type::kSlide, out.zero = m_->qpos0[qpos]; break;
      default: out.type = LinkJoint::Type::kHinge, out.zero = m_->qpos0[qpos]; break;
    }
    return out;
  }

  // Only those that a material shows.
  void add_textures() {
    for (int i = 0; i < m_->nmat; ++i) {
      const int* of = m_->mat_texid + mjNTEXROLE * i;
      const int texture = of[mjTEXROLE_RGB] >= 0 ? of[mjTEXROLE_RGB] : of[mjTEXROLE_RGBA];
      if (texture < 0 || textures_.count(texture) > 0 || m_->tex_type[texture] == mjTEXTURE_SKYBOX) continue;
      Texture out;
      out.width = static_cast<std::uint32_t>(m_->tex_width[texture]);
      out.height = static_cast<std::uint32_t>(m_->tex_height[texture]);
      out.channels = static_cast<std::uint32_t>(m_->tex_nchannel[texture]);
      out.cube = m_->tex_type[texture] == mjTEXTURE_CUBE;
      if (out.width > kMaxTextureSide || out.height > kMaxTextureSide) continue;
      out.pixels = bytes_of(m_->tex_data + m_->tex_adr[texture], std::size_t{out.width} * out.height * out.channels);
      textures_[texture] = static_cast<std::uint32_t>(out_.textures.size());
      out_.textures.push_back(std::move(out));
    }
  }

  Material material(int i) const {
    Material out;
    out.name = name_of(m_, mjOBJ_MATERIAL, i);
    for (const int role : {mjTEXROLE_RGB, mjTEXROLE_RGBA})
      if (const auto at = textures_.find(m_->mat_texid[mjNTEXROLE * i + role]); at != textures_.end())
        out.texture = at->second;
    out.repeat_x = m_->mat_texrepeat[2 * i], out.repeat_y = m_->mat_texrepeat[2 * i + 1];
    out.uniform = m_->mat_texuniform[i] != 0;
    out.specular = m_->mat_specular[i], out.shininess = m_->mat_shininess[i];
    out.reflectance = m_->mat_reflectance[i], out.emission = m_->mat_emission[i];
    out.metallic = m_->mat_metallic[i], out.roughness = m_->mat_roughness[i];
    return out;
  }

  // A geom's own colour counts where it is not the default, or there is no material, as in MuJoCo's pictures.
  void paint(Shape& shape, const float* rgba, int material) const {
    shape.color = color_of(rgba);
    if (material < 0) return;
    shape.material = static_cast<std::uint32_t>(material);
    const bool own = rgba[0] != 0.5f || rgba[1] != 0.5f || rgba[2] != 0.5f || rgba[3] != 1;
    if (!own) shape.color = color_of(m_->mat_rgba + 4 * material);
  }

  std::uint32_t mesh(int id) {
    const auto [at, fresh] = meshes_.try_emplace(id, static_cast<std::uint32_t>(out_.meshes.size()));
    if (!fresh) return at->second;
    Mesh out;
    out.name = name_of(m_, mjOBJ_MESH, id);
    out.corners =
        bytes_of(m_->mesh_vert + 3 * m_->mesh_vertadr[id], 3 * static_cast<std::size_t>(m_->mesh_vertnum[id]));
    const auto faces = static_cast<std::size_t>(m_->mesh_facenum[id]);
    const int* first = m_->mesh_face + 3 * m_->mesh_faceadr[id];
    out.triangles = bytes_of(first, 3 * faces);
    if (m_->mesh_texcoordadr[id] >= 0) {
      const int* numbers = m_->mesh_facetexcoord + 3 * m_->mesh_faceadr[id];
      Writer w(out.texture);
      for (std::size_t i = 0; i < 3 * faces; ++i)
        w.raw(m_->mesh_texcoord + 2 * (m_->mesh_texcoordadr[id] + numbers[i]), 2 * sizeof(float));
    }
    out_.meshes.push_back(std::move(out));
    return at->second;
  }

  std::uint32_t terrain(int id) {
    const auto [at, fresh] = terrains_.try_emplace(id, static_cast<std::uint32_t>(out_.terrains.size()));
    if (!fresh) return at->second;
    Terrain out;
    out.columns = static_cast<std::uint32_t>(m_->hfield_ncol[id]);
    out.rows = static_cast<std::uint32_t>(m_->hfield_nrow[id]);
    const mjtNum* size = m_->hfield_size + 4 * id;
    out.half_x = size[0], out.half_y = size[1], out.top = size[2], out.base = size[3];
    out.heights = bytes_of(m_->hfield_data + m_->hfield_adr[id], std::size_t{out.columns} * out.rows);
    out_.terrains.push_back(std::move(out));
    return at->second;
  }

  void add_geom(int g) {
    Shape out;
    out.name = name_of(m_, mjOBJ_GEOM, g);
    out.link = static_cast<std::uint32_t>(m_->geom_bodyid[g]);
    out.X_LS = Pose{vec(m_->geom_pos + 3 * g), unit(quat(m_->geom_quat + 4 * g))};
    const Vec3 size = vec(m_->geom_size + 3 * g);
    switch (m_->geom_type[g]) {
      case mjGEOM_PLANE: out.kind = Shape::Kind::kPlane, out.size = {size.x, size.y, 0}; break;
      case mjGEOM_SPHERE: out.kind = Shape::Kind::kSphere, out.size = {size.x, 0, 0}; break;
      case mjGEOM_CAPSULE: out.kind = Shape::Kind::kCapsule, out.size = {size.x, size.y, 0}; break;
      case mjGEOM_ELLIPSOID: out.kind = Shape::Kind::kEllipsoid, out.size = size; break;
      case mjGEOM_CYLINDER: out.kind = Shape::Kind::kCylinder, out.size = {size.x, size.y, 0}; break;
      case mjGEOM_BOX: out.kind = Shape::Kind::kBox, out.size = size; break;
      case mjGEOM_HFIELD: out.kind = Shape::Kind::kTerrain, out.data = terrain(m_->geom_dataid[g]); break;
      case mjGEOM_MESH:
      case mjGEOM_SDF:
        if (m_->geom_dataid[g] < 0) return;
        out.kind = Shape::Kind::kMesh, out.data = mesh(m_->geom_dataid[g]);
        break;
      default: return;
    }
    paint(out, m_->geom_rgba + 4 * g, m_->geom_matid[g]);
    out.solid = m_->geom_contype[g] != 0 || m_->geom_conaffinity[g] != 0;
    out.visible = out.color[3] > 0 && m_->geom_group[g] < kHidden;
    out_.shapes.push_back(std::move(out));
  }

  void add_at_rest(const char* what, const std::string& name, int number, Mesh mesh, int body, const float* rgba,
                   int material) {
    Shape out;
    out.name = name.empty() ? what + std::to_string(number) : name;
    mesh.name = out.name;
    out_.at_rest.push_back(out.name);
    if (mesh.triangle_count() == 0) return;
    out.link = static_cast<std::uint32_t>(body);
    out.kind = Shape::Kind::kMesh, out.data = static_cast<std::uint32_t>(out_.meshes.size());
    paint(out, rgba, material);
    out.solid = false, out.visible = out.color[3] > 0;
    out_.meshes.push_back(std::move(mesh));
    out_.shapes.push_back(std::move(out));
  }

  // In the frame of the root of what its first corner hangs on.
  void add_flex(int f) {
    Mesh mesh;
    const int first = m_->flex_vertadr[f], count = m_->flex_vertnum[f];
    const int body = count > 0 && m_->flex_vertbodyid[first] > 0 ? m_->body_rootid[m_->flex_vertbodyid[first]] : 0;
    const Pose X_LF = Pose{vec(d_->xpos + 3 * body), quat(d_->xquat + 4 * body)}.inverse();
    for (int i = first; i < first + count; ++i) {
      const Vec3 p = X_LF.p + rotate(X_LF.q, vec(d_->flexvert_xpos + 3 * i));
      add_corner(mesh, p.x, p.y, p.z);
    }
    const bool flat = m_->flex_dim[f] == 2;
    const int* numbers = flat ? m_->flex_elem + m_->flex_elemdataadr[f] : m_->flex_shell + m_->flex_shelldataadr[f];
    const int triangles = flat ? m_->flex_elemnum[f] : m_->flex_dim[f] == 3 ? m_->flex_shellnum[f] : 0;
    mesh.triangles = bytes_of(numbers, 3 * static_cast<std::size_t>(triangles));
    const std::string name = name_of(m_, mjOBJ_FLEX, f);
    add_at_rest("flex_", name, f, std::move(mesh), body, m_->flex_rgba + 4 * f, m_->flex_matid[f]);
  }

  // As it is bound, in the frame of its first bone.
  void add_skin(int s) {
    Mesh mesh;
    const int bone = m_->skin_boneadr[s], first = m_->skin_vertadr[s];
    if (m_->skin_bonenum[s] < 1) return;
    const auto wide = [](const float* v) { return Vec3{v[0], v[1], v[2]}; };
    const float* q = m_->skin_bonebindquat + 4 * bone;
    const Pose X_SL{wide(m_->skin_bonebindpos + 3 * bone), unit({q[0], q[1], q[2], q[3]})};
    for (int i = first; i < first + m_->skin_vertnum[s]; ++i) {
      const Vec3 p = (X_SL.inverse() * Pose{wide(m_->skin_vert + 3 * i), {}}).p;
      add_corner(mesh, p.x, p.y, p.z);
    }
    const int* numbers = m_->skin_face + 3 * m_->skin_faceadr[s];
    mesh.triangles = bytes_of(numbers, 3 * static_cast<std::size_t>(m_->skin_facenum[s]));
    const std::string name = name_of(m_, mjOBJ_SKIN, s);
    add_at_rest("skin_", name, s, std::move(mesh), m_->skin_bonebodyid[bone], m_->skin_rgba + 4 * s, m_->skin_matid[s]);
  }

  // A file whose author put everything into the groups of collision shapes shows those.
  void show_something() {
    const auto shows = [](const Shape& s) { return s.visible && s.kind != Shape::Kind::kPlane; };
    if (std::any_of(out_.shapes.begin(), out_.shapes.end(), shows)) return;
    for (Shape& shape : out_.shapes) shape.visible = shape.color[3] > 0;
  }

  const Compiled& c_;
  const mjModel* m_;
  const mjData* d_;
  Shapes out_;
  std::map<int, std::uint32_t> meshes_, terrains_, textures_;  // by MuJoCo's numbers
};

}  // namespace

Shapes look_of(const Compiled& compiled, const mjData* start) { return Look(compiled, start).take(); }

}  // namespace convoy::mujoco
