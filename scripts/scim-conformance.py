"""Check a SCIM service with scim2-tester, and print what it finds as JSON.

Usage: python3 scripts/scim-conformance.py <base address> <SCIM token>
Needs: python3 -m pip install scim2-tester==0.5.2 httpx2
"""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

base_address, token = sys.argv[1:]
headers = {"Authorization": f"Bearer {token}", "Accept": "application/scim+json"}
with Client(base_url=base_address, headers=headers, timeout=60) as http:
    client = SyncSCIMClient(http)
    results = check_server(client)

findings = [
    {"status": one.status.name, "check": one.title, "resource": one.resource_type, "reason": one.reason}
    for one in results
]
print(json.dumps(findings))
