// What a model looks like: the shapes of each link merged into one geometry, a box for each link, and one for the whole.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, Matrix3, Matrix4, Mesh, MeshLambertMaterial, MeshStandardMaterial,
  type Material, type Object3D, Quaternion, TextureLoader, Vector3,
} from "three";
import { GLTFLoader, type GLTF } from "three/addons/loaders/GLTFLoader.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { Model } from "./protocol.ts";

export interface Part { node: number; geometry: BufferGeometry; material: Material } // node 0: the entity, 1 + i: link i
export interface Shape { full: Part[]; boxes: Part[]; single: Part[]; triangles: number; lowest: Vector3; highest: Vector3 }

const kCrease = 0.6; // rad
const plain = new MeshLambertMaterial({ vertexColors: true });
let painted: Material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.62, metalness: 0.05 });

// From now on shapes are lit as plainly as can be.
export function light_plainly(): void { painted = plain; }

// The same surface, with the plainest light.
export function plain_copy(material: Material): Material {
  const { color, map, transparent, opacity, side, vertexColors } = material as MeshStandardMaterial;
  return new MeshLambertMaterial({ color, map, transparent, opacity, side, vertexColors });
}

export async function load_glb(url: string, session: string): Promise<GLTF> {
  const answer = await fetch(url, { headers: { "X-Convoy-Session": session } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
  const loader = new GLTFLoader();
  // Images by <img>: the page may not fetch blobs.
  loader.register((parser) => {
    Object.assign(parser, { textureLoader: new TextureLoader() });
    return { name: "convoy_images" };
  });
  return loader.parseAsync(await answer.arrayBuffer(), "");
}

interface Piece { mesh: Mesh<BufferGeometry, Material>; X_LM: Matrix4 }

export function shape_of_glb(model: Model, gltf: GLTF): Shape {
  gltf.scene.updateMatrixWorld(true);
  const pieces = new Map<number, Piece[]>();
  const walk = (object: Object3D, node: number, X_WL: Matrix4): void => {
    const index = (gltf.parser.associations.get(object) as { nodes?: number } | undefined)?.nodes;
    if (index !== undefined && index >= 1 && index <= model.links.length + 1) node = index - 1, X_WL = object.matrixWorld;
    if (object instanceof Mesh) {
      const X_LM = X_WL.clone().invert().multiply(object.matrixWorld);
      const list = pieces.get(node) ?? [];
      list.push({ mesh: object as Mesh<BufferGeometry, Material>, X_LM });
      pieces.set(node, list);
    }
    for (const child of object.children) walk(child, node, X_WL);
  };
  walk(gltf.scene, 0, new Matrix4());
  const full: Part[] = [];
  for (const [node, list] of pieces) full.push(...parts_of(node, list));
  return full.length ? shape_of(model, full) : shape_without_glb(model);
}

function parts_of(node: number, list: Piece[]): Part[] {
  const apart = (m: Material): boolean => m.transparent || (m as MeshStandardMaterial).map != null;
  const merged = list.filter((p) => !apart(p.mesh.material));
  const out: Part[] = merged.length ? [{ node, geometry: merge(merged), material: painted }] : [];
  for (const piece of list.filter((p) => apart(p.mesh.material))) {
    const material = piece.mesh.material as MeshStandardMaterial;
    if (material.metalness !== undefined) material.metalness = Math.min(material.metalness, 0.2);
    out.push({ node, geometry: piece.mesh.geometry.clone().applyMatrix4(piece.X_LM), material });
  }
  return out;
}

function merge(list: Piece[]): BufferGeometry {
  let vertices = 0, corners = 0;
  for (const { mesh } of list) {
    // Without normals in the file: smooth where it bends a little, sharp at edges.
    if (!mesh.geometry.getAttribute("normal")) mesh.geometry = toCreasedNormals(mesh.geometry, kCrease);
    const count = mesh.geometry.getAttribute("position").count;
    vertices += count, corners += mesh.geometry.index?.count ?? count;
  }
  const positions = new Float32Array(3 * vertices), normals = new Float32Array(3 * vertices), colors = new Float32Array(3 * vertices);
  const index = new Uint32Array(corners), at = new Vector3(), turn = new Matrix3();
  let v = 0, c = 0;
  for (const { mesh, X_LM } of list) {
    const position = mesh.geometry.getAttribute("position"), normal = mesh.geometry.getAttribute("normal"), first = v;
    const painted_by_vertex = mesh.geometry.getAttribute("color");
    const color = (mesh.material as MeshStandardMaterial).color ?? new Color(0.7, 0.7, 0.7);
    turn.getNormalMatrix(X_LM);
    for (let i = 0; i < position.count; i++, v++) {
      at.fromBufferAttribute(position, i).applyMatrix4(X_LM).toArray(positions, 3 * v);
      at.fromBufferAttribute(normal, i).applyMatrix3(turn).normalize().toArray(normals, 3 * v);
      colors[3 * v] = color.r * (painted_by_vertex?.getX(i) ?? 1);
      colors[3 * v + 1] = color.g * (painted_by_vertex?.getY(i) ?? 1);
      colors[3 * v + 2] = color.b * (painted_by_vertex?.getZ(i) ?? 1);
    }
    const mirrored = X_LM.determinant() < 0, old = mesh.geometry.index, count = old?.count ?? position.count;
    for (let i = 0; i < count; i++) {
      const k = mirrored && i % 3 ? i + (i % 3 === 1 ? 1 : -1) : i;
      index[c++] = first + (old ? old.getX(k) : k);
    }
  }
  return geometry_of(positions, normals, colors, index);
}

function geometry_of(positions: Float32Array, normals: Float32Array, colors: Float32Array, index: Uint32Array): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setAttribute("color", new BufferAttribute(colors, 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

function mean_color(geometry: BufferGeometry): Color {
  const colors = geometry.getAttribute("color"), position = geometry.getAttribute("position"), index = geometry.index;
  if (!colors?.count || !index) return new Color(0.6, 0.6, 0.6);
  const out = new Color(0, 0, 0), a = new Vector3(), b = new Vector3(), c = new Vector3();
  let all = 0;
  for (let i = 0; i < index.count; i += 3) {
    a.fromBufferAttribute(position, index.getX(i));
    b.fromBufferAttribute(position, index.getX(i + 1)).sub(a), c.fromBufferAttribute(position, index.getX(i + 2)).sub(a);
    const area = b.cross(c).length(), v = index.getX(i);
    all += area;
    out.r += area * colors.getX(v), out.g += area * colors.getY(v), out.b += area * colors.getZ(v);
  }
  out.multiplyScalar(all > 0 ? 1 / all : 0);
  const hsl = out.getHSL({ h: 0, s: 0, l: 0 });
  return out.setHSL(hsl.h, Math.min(1, 1.5 * hsl.s), hsl.l); // as the eye remembers it
}

export function colored_box(lowest: Vector3, highest: Vector3, color: Color): BufferGeometry {
  const size = highest.clone().sub(lowest), middle = lowest.clone().add(highest).multiplyScalar(0.5);
  const geometry = new BoxGeometry(Math.max(size.x, 0.002), Math.max(size.y, 0.002), Math.max(size.z, 0.002));
  geometry.translate(middle.x, middle.y, middle.z);
  const colors = new Float32Array(3 * 24);
  for (let i = 0; i < 24; i++) color.toArray(colors, 3 * i);
  geometry.setAttribute("color", new BufferAttribute(colors, 3));
  geometry.deleteAttribute("uv");
  return geometry;
}

// Where the links are with all joints at rest, for the box of the whole.
function rest_nodes(model: Model): Matrix4[] {
  const out = [new Matrix4()], one = new Vector3(1, 1, 1);
  for (const link of model.links) {
    const [x, y, z, qw, qx, qy, qz] = link.X as [number, number, number, number, number, number, number];
    const X = new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw), one);
    out.push(link.base === 0 && link.parent >= 0 ? out[link.parent + 1]!.clone().multiply(X) : X);
  }
  return out;
}

function shape_of(model: Model, full: Part[]): Shape {
  const rest = rest_nodes(model), lowest = new Vector3(Infinity, Infinity, Infinity), highest = lowest.clone().negate();
  const boxes: Part[] = [];
  const mean = new Color(0, 0, 0);
  let triangles = 0, weight = 0;
  for (const part of full) {
    part.geometry.computeBoundingBox();
    part.geometry.computeBoundingSphere();
    const box = part.geometry.boundingBox!, color = mean_color(part.geometry);
    const size = box.getSize(new Vector3()), heavy = size.x * size.y + size.y * size.z + size.z * size.x;
    mean.add(color.clone().multiplyScalar(heavy)), weight += heavy;
    boxes.push({ node: part.node, geometry: colored_box(box.min, box.max, color), material: plain });
    triangles += (part.geometry.index?.count ?? part.geometry.getAttribute("position").count) / 3;
    const placed = box.clone().applyMatrix4(rest[part.node] ?? rest[0]!);
    lowest.min(placed.min), highest.max(placed.max);
  }
  if (weight > 0) mean.multiplyScalar(1 / weight);
  const single = [{ node: 0, geometry: colored_box(lowest, highest, mean), material: plain }];
  return { full, boxes, single, triangles, lowest, highest };
}

const kColors = [0x4f8fd6, 0xe08a3c, 0x58b08a, 0xc25b70, 0x8a72c9, 0xc9b14a, 0x4db3bf];

// A body with a darker bar that shows where its front is.
export function shape_without_glb(model: Model): Shape {
  let sum = 0;
  for (const c of model.name) sum = (31 * sum + c.charCodeAt(0)) >>> 0;
  const color = new Color(kColors[sum % kColors.length]!), r = Math.max(model.radius, 0.02) * 0.72, h = Math.max(model.height, 0.02);
  const body = colored_box(new Vector3(-r, -r * 0.8, 0.06 * h), new Vector3(r, r * 0.8, h), color);
  const front = colored_box(new Vector3(0.8 * r, -0.7 * r, 0.35 * h), new Vector3(1.04 * r, 0.7 * r, 0.8 * h), new Color(0x20262e));
  const one = new Matrix4();
  const geometry = merge([body, front].map((g) => ({ mesh: new Mesh(g, painted), X_LM: one })));
  return shape_of({ ...model, links: [] }, [{ node: 0, geometry, material: painted }]);
}
