// For tests: reads URDF again, as robot_state_publisher does, and says where each link is.
#pragma once

#include <doctest/doctest.h>
#include <tinyxml2.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/pose.h"

namespace convoy::ros::testing {

struct UrdfJoint {
  std::string name, type, parent, child, mimics;
  Pose X_PJ;
  Vec3 axis;
  double low = 0, high = 0;
};

class UrdfReader {
 public:
  explicit UrdfReader(const std::string& text) {
    REQUIRE(document_.Parse(text.c_str()) == tinyxml2::XML_SUCCESS);
    const auto* root = document_.FirstChildElement("robot");
    REQUIRE(root);
    robot = root->Attribute("name");
    for (const auto* e = root->FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
      links.push_back(e->Attribute("name"));
      looks[links.back()] = e;
    }
    for (const auto* e = root->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint"))
      joints.push_back(joint(*e));
    check();
  }

  const UrdfJoint& joint_named(const std::string& name) const {
    const auto at = std::find_if(joints.begin(), joints.end(), [&](const UrdfJoint& j) { return j.name == name; });
    REQUIRE(at != joints.end());
    return *at;
  }
  bool has_link(const std::string& name) const { return looks.count(name) > 0; }
  const tinyxml2::XMLElement& look(const std::string& link, const char* kind = "visual") const {
    const auto* found = looks.at(link)->FirstChildElement(kind);
    REQUIRE(found);
    return *found;
  }

  // X_RootLink of each link where the joints have these numbers; those that are not there are at 0.
  std::map<std::string, Pose> forward(const std::map<std::string, double>& numbers) const {
    std::map<std::string, Pose> out{{links.front(), {}}};
    for (std::size_t before = 0; before != out.size();) {
      before = out.size();
      for (const UrdfJoint& j : joints)
        if (out.count(j.parent)) out[j.child] = out[j.parent] * j.X_PJ * moved(j, numbers);
    }
    return out;
  }

  std::string robot;
  std::vector<std::string> links;
  std::vector<UrdfJoint> joints;
  std::map<std::string, const tinyxml2::XMLElement*> looks;

 private:
  static Vec3 vector(const char* text) {
    REQUIRE(text);
    std::istringstream in(text);
    Vec3 out;
    in >> out.x >> out.y >> out.z;
    REQUIRE(!in.fail());
    return out;
  }

  static Pose moved(const UrdfJoint& j, const std::map<std::string, double>& numbers) {
    const auto at = numbers.find(j.mimics.empty() ? j.name : j.mimics);
    const double number = at == numbers.end() ? 0 : at->second;
    if (j.type == "prismatic") return {number * j.axis, {}};
    if (j.type != "continuous" && j.type != "revolute") return {};
    return {{}, from_axis_angle(j.axis, number)};
  }

  static UrdfJoint joint(const tinyxml2::XMLElement& e) {
    UrdfJoint out;
    out.name = e.Attribute("name"), out.type = e.Attribute("type");
    out.parent = e.FirstChildElement("parent")->Attribute("link");
    out.child = e.FirstChildElement("child")->Attribute("link");
    if (const auto* axis = e.FirstChildElement("axis")) out.axis = vector(axis->Attribute("xyz"));
    if (const auto* mimic = e.FirstChildElement("mimic")) out.mimics = mimic->Attribute("joint");
    if (const auto* limit = e.FirstChildElement("limit")) {
      out.low = limit->DoubleAttribute("lower"), out.high = limit->DoubleAttribute("upper");
      REQUIRE((limit->Attribute("effort") && limit->Attribute("velocity")));
    }
    REQUIRE((out.type != "revolute" && out.type != "prismatic" ? true : out.high > out.low));
    const auto* origin = e.FirstChildElement("origin");
    const Vec3 rpy = vector(origin->Attribute("rpy"));
    out.X_PJ.p = vector(origin->Attribute("xyz"));
    out.X_PJ.q =
        from_axis_angle({0, 0, 1}, rpy.z) * from_axis_angle({0, 1, 0}, rpy.y) * from_axis_angle({1, 0, 0}, rpy.x);
    return out;
  }

  // One tree: names are unique, and each link but the first hangs on another by one joint.
  void check() const {
    std::set<std::string> children, names;
    for (const UrdfJoint& j : joints) {
      CHECK(names.insert(j.name).second);
      CHECK(children.insert(j.child).second);
      CHECK(looks.count(j.parent) == 1);
      CHECK(looks.count(j.child) == 1);
    }
    CHECK(looks.size() == links.size());
    CHECK(children.size() + 1 == links.size());
    CHECK(children.count(links.front()) == 0);
    CHECK(forward({}).size() == links.size());
  }

  tinyxml2::XMLDocument document_;
};

}  // namespace convoy::ros::testing
