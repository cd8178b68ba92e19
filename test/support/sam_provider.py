"""Prints as JSON which functions and routes the command line of SAM finds in a template."""

import json
import sys

from samcli.lib.providers.api_provider import ApiProvider
from samcli.lib.providers.sam_function_provider import SamFunctionProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

stacks, _ = SamLocalStackProvider.get_stacks(sys.argv[1])
functions = [
    {"name": function.name, "runtime": function.runtime, "handler": function.handler, "code": function.codeuri}
    for function in SamFunctionProvider(stacks).get_all()
]
routes = [
    {"path": route.path, "function": route.function_name, "payload": route.payload_format_version}
    for route in ApiProvider(stacks).routes
]
json.dump({"functions": functions, "routes": routes}, sys.stdout)
