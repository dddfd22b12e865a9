// What never moves: ground, walls and the like, from one file.
import { Group, Mesh, type Material, type MeshStandardMaterial } from "three";
import { load_glb, plain_copy } from "./shape.ts";

export class Scenery {
  readonly group = new Group();
  private url: string | null = null;

  constructor(private session: () => string, private plain: boolean) {
    this.group.rotation.x = Math.PI / 2; // glTF has y up, the world z
  }

  async show(url: string | null): Promise<void> {
    if (url === this.url) return;
    this.url = url;
    this.group.clear();
    if (!url) return;
    const gltf = await load_glb(url, this.session());
    if (this.url !== url) return;
    gltf.scene.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.receiveShadow = object.castShadow = true;
      if (this.plain) object.material = plain_copy(object.material as Material);
      const material = object.material as MeshStandardMaterial;
      if (material.metalness !== undefined) material.metalness = Math.min(material.metalness, 0.1);
    });
    this.group.add(gltf.scene);
  }
}
