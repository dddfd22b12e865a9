#include "physics/mujoco/ghosts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/math.h"
#include "physics/mujoco/numbers.h"
#include "world/world_model.h"

namespace convoy::mujoco {

namespace {

// The positions of a model's joints (qpos), of which those of free bodies are in W, and of its mocap bodies, seven
// numbers each, in W; none: as in the model.
struct Positions {
  std::vector<double> qpos, mocaps;
};

// All bodies' poses in W for the model's positions: kinematics without mjData.
void forward(const Compiled& c, const Positions& at_rest, const Pose& X_WF, std::vector<Pose>& out) {
  const std::vector<double>& qpos = at_rest.qpos;
  const mjModel* m = c.model;
  out.assign(static_cast<std::size_t>(m->nbody), {});
  out[0] = X_WF;
  for (int b = 1; b < m->nbody; ++b) {
    Pose& X = out[static_cast<std::size_t>(b)];
    X = out[static_cast<std::size_t>(m->body_parentid[b])] * Pose{vec(m->body_pos + 3 * b), quat(m->body_quat + 4 * b)};
    if (const int mocap = m->body_mocapid[b]; mocap >= 0 && !at_rest.mocaps.empty())
      X = pose_at(at_rest.mocaps.data() + 7 * mocap), X.q = unit(X.q);
    for (int j = m->body_jntadr[b]; j >= 0 && j < m->body_jntadr[b] + m->body_jntnum[b]; ++j) {
      const int at = m->jnt_qposadr[j];
      if (m->jnt_type[j] == mjJNT_FREE) X = pose_at(qpos.data() + at);
      const double moved = qpos[static_cast<std::size_t>(at)] - m->qpos0[at];
      const Vec3 axis = vec(m->jnt_axis + 3 * j), anchor = vec(m->jnt_pos + 3 * j);
      if (m->jnt_type[j] == mjJNT_BALL)
        X = X * Pose{anchor, {}} * Pose{{}, unit(quat(qpos.data() + at))} * Pose{-anchor, {}};
      if (m->jnt_type[j] == mjJNT_SLIDE) X = X * Pose{moved * axis, {}};
      if (m->jnt_type[j] == mjJNT_HINGE)
        X = X * Pose{anchor, {}} * Pose{{}, from_axis_angle(axis, moved)} * Pose{-anchor, {}};
    }
  }
}

Positions start_of(const Compiled& c) {
  const mjModel* m = c.model;
  const double* from = c.key >= 0 ? m->key_qpos + c.key * m->nq : m->qpos0;
  return {{from, from + m->nq}, {}};
}

// Adds the geoms of a body at X_BL in the ghost's frame, or their places alone.
void add_geoms(GhostBody& out, const mjModel* m, int body, const Pose& X_BL, bool places = false) {
  for (int g = m->body_geomadr[body]; g >= 0 && g < m->body_geomadr[body] + m->body_geomnum[body]; ++g) {
    if (!is_solid(m, g)) continue;
    const Pose X_BG = X_BL * Pose{vec(m->geom_pos + 3 * g), quat(m->geom_quat + 4 * g)};
    if (places) out.geoms.emplace_back().X_BG = X_BG;
    else out.geoms.push_back(geom_of(m, g, X_BG));
  }
}

// Its axes in the outer frame.
std::array<Vec3, 3> columns(const Quat& q) {
  return {rotate(q, {1, 0, 0}), rotate(q, {0, 1, 0}), rotate(q, {0, 0, 1})};
}

// That of a mass at r.
void add_point(std::array<double, 6>& out, double mass, const Vec3& r) {
  const double rr = dot(r, r);
  out[0] += mass * (rr - r.x * r.x), out[1] += mass * (rr - r.y * r.y), out[2] += mass * (rr - r.z * r.z);
  out[3] -= mass * r.x * r.y, out[4] -= mass * r.x * r.z, out[5] -= mass * r.y * r.z;
}

void add_inertia(std::array<double, 6>& out, const Quat& q_BI, const double* principal, double mass, const Vec3& r) {
  const auto axes = columns(q_BI);
  for (int k = 0; k < 3; ++k) {
    const Vec3& a = axes[static_cast<std::size_t>(k)];
    const double i = principal[k];
    out[0] += i * a.x * a.x, out[1] += i * a.y * a.y, out[2] += i * a.z * a.z;
    out[3] += i * a.x * a.y, out[4] += i * a.x * a.z, out[5] += i * a.y * a.z;
  }
  add_point(out, mass, r);
}

// How far what is solid of a body can be from the origin of one above it, whatever the joints between them do, m.
double radius_about(const mjModel* m, int body, int above) {
  double radius = -1;
  for (int g = m->body_geomadr[body]; g >= 0 && g < m->body_geomadr[body] + m->body_geomnum[body]; ++g)
    if (is_solid(m, g)) radius = std::max(radius, norm(vec(m->geom_pos + 3 * g)) + m->geom_rbound[g]);
  if (radius < 0) return 0;
  for (int b = body; b != above && b != 0; b = m->body_parentid[b]) {
    radius += norm(vec(m->body_pos + 3 * b));
    for (int j = m->body_jntadr[b]; j >= 0 && j < m->body_jntadr[b] + m->body_jntnum[b]; ++j) {
      radius += 2 * norm(vec(m->jnt_pos + 3 * j));
      if (m->jnt_type[j] != mjJNT_SLIDE) continue;
      const double* range = m->jnt_range + 2 * j;
      radius += m->jnt_limited[j] ? std::max(std::fabs(range[0]), std::fabs(range[1])) : kUnlimitedSlide;
    }
  }
  return radius;
}

// All that hangs on a free body, or, of root 0, all that stands; as one, in a frame B.
GhostBody whole(const mjModel* m, int root, const std::vector<Pose>& X_WL, const Pose& X_BW, bool places = false) {
  GhostBody out;
  out.body = root, out.free = true, out.passive = m->nu == 0;
  const auto in_tree = [&](int b) { return root ? m->body_rootid[b] == root : stands(m, b); };
  std::vector<Pose> X_BL(X_WL.size());
  for (std::size_t b = 0; b < X_WL.size(); ++b) X_BL[b] = X_BW * X_WL[b];
  Vec3 sum;
  for (int b = root; b < m->nbody; ++b) {
    if (!in_tree(b)) continue;
    out.mass += m->body_mass[b];
    sum = sum + m->body_mass[b] * (X_BL[static_cast<std::size_t>(b)] * Pose{vec(m->body_ipos + 3 * b), {}}).p;
  }
  if (out.mass > 0) out.com = (1 / out.mass) * sum;
  for (int b = root; b < m->nbody; ++b) {
    if (!in_tree(b)) continue;
    const Pose& X = X_BL[static_cast<std::size_t>(b)];
    const Pose X_BI = X * Pose{vec(m->body_ipos + 3 * b), quat(m->body_iquat + 4 * b)};
    add_inertia(out.inertia, X_BI.q, m->body_inertia + 3 * b, m->body_mass[b], X_BI.p - out.com);
    add_geoms(out, m, b, X, places);
    if (places) continue;
    const double radius = radius_about(m, b, root);
    out.radius = std::max(out.radius, radius);
    out.box.add(swept_box(m, b, root, X_BL, radius), {});
  }
  return out;
}

// Does anything of what hangs on it move but wheels?
bool moves_inside(const Compiled& c, int root) {
  const mjModel* m = c.model;
  const auto turns = [](const std::vector<Wheel>& wheels, int qpos) {
    return std::any_of(wheels.begin(), wheels.end(), [&](const Wheel& w) { return w.place.qpos == qpos; });
  };
  for (int j = 0; j < m->njnt; ++j) {
    const bool moves = m->jnt_type[j] != mjJNT_FREE;
    const int qpos = m->jnt_qposadr[j];
    if (moves && m->body_rootid[m->jnt_bodyid[j]] == root && !turns(c.left, qpos) && !turns(c.right, qpos)) return true;
  }
  return false;
}

// A ball joint's quaternion, turned on by its rate about its own axes.
void turn_ball(std::span<const double> tail, std::size_t n, std::size_t i, int qpos, double after,
               std::vector<double>& out) {
  const Vec3 rate = vec(&tail[n + i + 1]);
  const double speed = norm(rate);
  if (speed == 0 || after == 0) return;
  put(&out[static_cast<std::size_t>(qpos)], unit(quat(&tail[i])) * from_axis_angle((1 / speed) * rate, speed * after));
}

// The model's positions, that long after the boundary; joints go on with their velocities.
void find_positions(const Compiled& c, const Neighbour& neighbour, const Pose& X_WF, double after, Positions& out) {
  out = start_of(c);
  const std::size_t n = c.joints.size();
  const auto is_ball = [&](std::size_t i) { return i >= c.singles && i < c.first_mocap; };
  if (neighbour.tail.size() >= 2 * n) {
    for (std::size_t i = 0; i < n; ++i)
      if (const JointPlace& place = c.joints[i]; place.qpos >= 0)
        out.qpos[static_cast<std::size_t>(place.qpos)] =
            neighbour.tail[i] + (place.qvel < 0 || is_ball(i) ? 0 : after * neighbour.tail[n + i]);
    for (std::size_t i = c.singles; i < c.first_mocap; i += 4)
      turn_ball(neighbour.tail, n, i, c.joints[i].qpos, after, out.qpos);
    const double* mocaps = neighbour.tail.data();
    out.mocaps.assign(mocaps + c.first_mocap, mocaps + c.first_loose);
  }
  if (!c.fixed_base) put(out.qpos.data() + c.free[0].place.qpos, X_WF * c.X_BR.inverse());
}

// The footprint as a prism on the ground: as heavy as the model, and of one density.
GhostBody prism(const Model& model) {
  GhostBody out;
  double area = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;  // integrals over the footprint
  for (std::size_t i = 0; i < model.footprint.size(); ++i) {
    const Vec2 a = model.footprint[i], b = model.footprint[(i + 1) % model.footprint.size()];
    const double d = a.x * b.y - b.x * a.y;
    area += d / 2, x += d * (a.x + b.x) / 6, y += d * (a.y + b.y) / 6;
    xx += d * (a.x * a.x + a.x * b.x + b.x * b.x) / 12, yy += d * (a.y * a.y + a.y * b.y + b.y * b.y) / 12;
    xy += d * (a.x * b.y + 2 * a.x * a.y + 2 * b.x * b.y + b.x * a.y) / 24;
  }
  if (area > 0) {
    const double m = model.mass, h = m * model.height * model.height / 12;
    x /= area, y /= area;
    xx = m * (xx / area - x * x), yy = m * (yy / area - y * y), xy = m * (xy / area - x * y);
    out.mass = m, out.com = {x, y, model.height / 2}, out.inertia = {yy + h, xx + h, xx + yy, -xy, 0, 0};
  }
  GhostGeom geom;
  geom.type = mjGEOM_MESH;
  for (const Vec2& corner : model.footprint)
    for (const double z : {0.0, model.height}) {
      geom.vertices.insert(geom.vertices.end(),
                           {static_cast<float>(corner.x), static_cast<float>(corner.y), static_cast<float>(z)});
      out.radius = std::max(out.radius, norm({corner.x, corner.y, z}));
      out.box.add({corner.x, corner.y, z});
    }
  out.geoms.push_back(std::move(geom));
  return out;
}

// Where the seven numbers of a mocap body's pose, or of a free body's beside the base, are in the tail.
std::size_t numbers_of(const Compiled& c, int body) {
  if (const int mocap = c.model->body_mocapid[body]; mocap >= 0)
    return c.first_mocap + 7 * static_cast<std::size_t>(mocap);
  const auto free = std::find_if(c.free.begin(), c.free.end(), [&](const FreeBody& f) { return f.body == body; });
  return c.first_loose + 7 * static_cast<std::size_t>(free - c.free.begin() - (c.fixed_base ? 0 : 1));
}

// Spheres around what is solid of the kind's model.
void outline(GhostKind& out, bool furniture) {
  const Compiled& c = *out.compiled;
  const mjModel* m = c.model;
  out.core_joints = c.first_mocap;
  std::map<int, double> loose;  // by root body: those whose poses are in the tail
  for (std::size_t i = c.fixed_base ? 0 : 1; i < c.free.size(); ++i) loose[c.free[i].body] = -1;
  for (int b = 1; b < m->nbody; ++b)
    if (m->body_mocapid[b] >= 0) loose[b] = -1;
  for (int b = 0; b < m->nbody; ++b) {
    const int root = m->body_rootid[b];
    const auto found = loose.find(root);
    const bool base = !c.fixed_base && root == c.free[0].body, free = base || found != loose.end();
    const double radius = radius_about(m, b, free ? root : 0);
    if (radius <= 0 || (!furniture && m->body_weldid[b] == 0)) continue;
    if (base) out.core_radius = std::max(out.core_radius, norm(c.free[0].X_FB.p) + radius);
    else if (free) found->second = std::max(found->second, radius);
    else if (c.fixed_base) out.core_radius = std::max(out.core_radius, radius);
    else out.still_radius = std::max(out.still_radius, radius);
  }
  for (std::size_t i = 0; i < out.core_joints; ++i)
    for (int j = 0; j < m->njnt; ++j)
      if (m->jnt_qposadr[j] == c.joints[i].qpos && m->jnt_type[j] == mjJNT_SLIDE && !m->jnt_limited[j])
        out.core_slides.push_back(i);
  for (const auto& [root, radius] : loose)
    if (radius >= 0) out.loose.push_back({numbers_of(c, root), radius});
}

}  // namespace

GhostGeom geom_of(const mjModel* m, int g, const Pose& X_BG) {
  GhostGeom out;
  out.type = m->geom_type[g], out.X_BG = X_BG;
  std::copy_n(m->geom_size + 3 * g, 3, out.size.begin());
  out.condim = m->geom_condim[g], out.priority = m->geom_priority[g];
  out.margin = m->geom_margin[g], out.gap = m->geom_gap[g], out.solmix = m->geom_solmix[g];
  std::copy_n(m->geom_friction + 3 * g, 3, out.friction.begin());
#if mjVERSION_HEADER >= 4000000
  out.adhesion = m->geom_adhesion[g];
  std::copy_n(m->geom_surfacevel + 6 * g, 6, out.surfacevel.begin());
#endif
  std::copy_n(m->geom_solref + mjNREF * g, mjNREF, out.solref.begin());
  std::copy_n(m->geom_solimp + mjNIMP * g, mjNIMP, out.solimp.begin());
  if (const int mesh = m->geom_dataid[g]; out.type == mjGEOM_MESH && mesh >= 0) {
    const float* from = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
    out.vertices.assign(from, from + 3 * m->mesh_vertnum[mesh]);
  }
  return out;
}

Pose file_frame(const Compiled& c, const Neighbour& neighbour) {
  return c.fixed_base ? neighbour.state->pose : level(neighbour.origin);
}

GhostKind ghosts_of(const Model& model, std::shared_ptr<const Compiled> compiled) {
  GhostKind out;
  out.compiled = std::move(compiled);
  if (!out.compiled) {
    if (!has_body(model)) return out;
    out.load = prism(model);
    out.bodies.push_back(out.load), out.core_radius = out.load.radius;
    return out;
  }
  const bool furniture = model.name != kWorldObjects;  // what stands in a world is everybody's walls
  const mjModel* m = out.compiled->model;
  std::vector<Pose> X_WL;
  forward(*out.compiled, start_of(*out.compiled), {}, X_WL);
  for (int b = 0; b < m->nbody; ++b) {
    const int root = m->body_rootid[b];
    const bool free = m->body_jntnum[root] > 0 && m->jnt_type[m->body_jntadr[root]] == mjJNT_FREE;
    GhostBody body;
    if (free && b == root) {
      body = whole(m, root, X_WL, X_WL[static_cast<std::size_t>(root)].inverse());
      body.free = body.mass > 0;
      body.posed = moves_inside(*out.compiled, root);
      body.passive =
          (body.passive && !model.engine.any()) || out.compiled->fixed_base || out.compiled->free[0].body != root;
    } else if (!free && (furniture || m->body_weldid[b] != 0)) {
      body.body = b, body.still = m->body_weldid[b] == 0;
      add_geoms(body, m, b, {});
      body.radius = radius_about(m, b, b), body.box = box_of(m, b, {});
    }
    if (!body.geoms.empty()) out.bodies.push_back(std::move(body));
  }
  out.load = whole(m, out.compiled->fixed_base ? 0 : out.compiled->free[0].body, X_WL, {});
  outline(out, furniture);
  return out;
}

void find_outlines(const GhostKind& kind, const Neighbour& neighbour, std::vector<Outline>& out) {
  out.clear();
  const State& state = *neighbour.state;
  const std::size_t n = kind.compiled ? kind.compiled->joints.size() : 0;
  const bool tail = neighbour.tail.size() >= 2 * n;
  if (kind.core_radius >= 0) {
    double rates = 0, radius = kind.core_radius, drift = norm(state.twist.v);
    for (std::size_t i = 0; tail && i < kind.core_joints; ++i) rates += std::fabs(neighbour.tail[n + i]);
    for (std::size_t i : kind.core_slides) {
      if (!tail) break;
      radius += std::max(0.0, std::fabs(neighbour.tail[i]) - kUnlimitedSlide);
      drift += std::fabs(neighbour.tail[n + i]);
    }
    out.push_back({state.pose.p, radius, drift,
                   norm(state.twist.v) + norm(state.twist.w) * radius + rates * std::max(1.0, 2 * radius)});
  }
  if (kind.still_radius >= 0) out.push_back({file_frame(*kind.compiled, neighbour).p, kind.still_radius, 0, 0});
  for (const GhostKind::Loose& body : kind.loose) {
    if (!tail) return;
    const double* at = neighbour.tail.data() + body.joint;
    const double* rate = at + n;
    const double drift = norm(vec(rate));
    out.push_back({vec(at), body.radius, drift, drift + norm(vec(rate + 4)) * body.radius});
  }
}

void add_mass(GhostBody& body, const Pose& X_BC, double mass, const Vec3& com, const std::array<double, 6>& inertia) {
  if (mass <= 0) return;
  const Vec3 p = (X_BC * Pose{com, {}}).p, before = body.com;
  body.com = (1 / (body.mass + mass)) * (body.mass * before + mass * p);
  add_point(body.inertia, body.mass, before - body.com);
  body.mass += mass;
  const auto axes = columns(X_BC.q);
  const double full[3][3] = {
      {inertia[0], inertia[3], inertia[4]}, {inertia[3], inertia[1], inertia[5]}, {inertia[4], inertia[5], inertia[2]}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3 &a = axes[i], &b = axes[j];
      const double x = full[i][j];
      body.inertia[0] += x * a.x * b.x, body.inertia[1] += x * a.y * b.y, body.inertia[2] += x * a.z * b.z;
      body.inertia[3] += x * a.x * b.y, body.inertia[4] += x * a.x * b.z, body.inertia[5] += x * a.y * b.z;
    }
  add_point(body.inertia, mass, p - body.com);
}

double reach_of(const Compiled& c) {
  const mjModel* m = c.model;
  double reach = 0;
  for (int b = 0; b < m->nbody; ++b) {
    const int root = m->body_rootid[b];
    const auto free = std::find_if(c.free.begin(), c.free.end(), [&](const FreeBody& f) { return f.body == root; });
    const double radius = radius_about(m, b, free != c.free.end() ? root : 0);
    if (radius > 0) reach = std::max(reach, radius + (free != c.free.end() ? norm(free->X_FB.p) : 0));
  }
  return reach;
}

GhostKind held(GhostKind kind) {
  for (GhostBody& body : kind.bodies) body.free = false;
  return kind;
}

GhostBody pose_of(const GhostKind& kind, std::size_t index, const Neighbour& neighbour) {
  Positions positions;
  std::vector<Pose> X_WL;
  find_positions(*kind.compiled, neighbour, neighbour.state->pose, 0, positions);
  forward(*kind.compiled, positions, file_frame(*kind.compiled, neighbour), X_WL);
  const int root = kind.bodies[index].body;
  return whole(kind.compiled->model, root, X_WL, X_WL[static_cast<std::size_t>(root)].inverse(), true);
}

void find_motions(const GhostKind& kind, const Neighbour& neighbour, double after, std::vector<GhostMotion>& out) {
  out.clear();
  if (neighbour.held) after = 0;
  const State& state = *neighbour.state;
  const Twist twist = neighbour.held ? Twist{} : state.twist;
  const double speed = norm(twist.w);
  const Quat turned = speed > 0 ? from_axis_angle((1 / speed) * twist.w, speed * after) : Quat{};
  const Pose X_WF{state.pose.p + after * twist.v, unit(turned * state.pose.q)};
  if (!kind.compiled) {
    for (std::size_t i = 0; i < kind.bodies.size(); ++i) out.push_back({X_WF, twist});
    return;
  }
  const Compiled& c = *kind.compiled;
  static thread_local Positions positions;
  static thread_local std::vector<Pose> X_WL;
  find_positions(c, neighbour, X_WF, after, positions);
  const std::size_t n = c.joints.size();
  forward(c, positions, c.fixed_base ? X_WF : file_frame(c, neighbour), X_WL);
  for (const GhostBody& body : kind.bodies) {
    GhostMotion motion{X_WL[static_cast<std::size_t>(body.body)], {}};
    const auto free =
        std::find_if(c.free.begin(), c.free.end(), [&](const FreeBody& f) { return f.body == body.body; });
    if (free != c.free.end() && free == c.free.begin() && !c.fixed_base) {
      motion.v_WB_W = {twist.v + cross(twist.w, motion.X_WB.p - X_WF.p), twist.w};
    } else if (free != c.free.end()) {
      // Its seven numbers among the joints: x, y, z, and no velocity at the fourth.
      const std::size_t i = numbers_of(c, body.body);
      motion.X_WB.q = unit(motion.X_WB.q);
      if (neighbour.tail.size() >= 2 * n) {
        const double* v = neighbour.tail.data() + n + i;
        motion.v_WB_W = {vec(v), rotate(motion.X_WB.q, vec(v + 4))};
      }
    }
    out.push_back(motion);
  }
}

}  // namespace convoy::mujoco
