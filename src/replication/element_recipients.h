// Which programs an element is for, and who is named by one and is not there.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "replication/element_store.h"
#include "wire/journal.h"

namespace convoy {

class ElementRecipients {
 public:
  struct Others {
    std::function<bool(const std::string& name)> inside;  // is an entity called so? Empty: nobody asks
    std::function<void(const ElementChanged&, const std::string& name)> unknown;  // who is neither that nor a member
  };
  // All outlive it. `names`: of the members.
  ElementRecipients(const std::map<Owner, std::string>& names, Others others)
      : names_(&names), others_(std::move(others)) {}

  // An element has changed, or is gone.
  void note(const ElementChanged& change);
  // Is the member to be told of it? Of its own it knows.
  bool reaches(const ElementKey& key, Owner member) const;
  // The change itself, once it was seen whom it names.
  ElementChanged checked(ElementChanged change) const;

 private:
  const std::map<Owner, std::string>* names_;
  Others others_;
  std::map<ElementKey, ElementReach> addressed_;  // those that name somebody
};

}  // namespace convoy
