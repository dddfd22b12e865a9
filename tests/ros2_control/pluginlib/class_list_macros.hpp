// In place of pluginlib's, which loads a class by its name: the host is compiled with the class.
#pragma once

#define PLUGINLIB_EXPORT_CLASS(derived, base)
