"""Upload a file and send a message in protobuf, by the client that openapi-python-client has generated.

The folder that the first argument names has its package, `client`, and `messages_pb2`, which protoc has made of the
document. The second argument says where, as whom and to whom, in JSON; the answers are printed in JSON.
"""

import json
import sys
from io import BytesIO
from uuid import UUID

folder, plan = sys.argv[1], json.loads(sys.argv[2])
sys.path.insert(0, folder)

from client import AuthenticatedClient  # noqa: E402
from client.api.assets import assets_upload  # noqa: E402
from client.api.conversations import post_proteus_message  # noqa: E402
from client.types import File  # noqa: E402
from messages_pb2 import QualifiedNewOtrMessage  # noqa: E402


def part(content_type: str, content: bytes) -> bytes:
    head = f"--part\r\nContent-Type: {content_type}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content + b"\r\n"


upload = part("application/json", b"{}") + part("application/octet-stream", plan["file"].encode()) + b"--part--\r\n"

message = QualifiedNewOtrMessage()
message.sender.client = int(plan["sender"], 16)
message.report_all.SetInParent()
recipients = message.recipients.add(domain=plan["domain"])
entry = recipients.entries.add()
entry.user.uuid = UUID(plan["recipient"]["user"]).bytes
ciphertext = entry.clients.add(text=plan["ciphertext"].encode())
ciphertext.client.client = int(plan["recipient"]["device"], 16)

with AuthenticatedClient(base_url=plan["publicUrl"] + "/v8", token=plan["token"]) as client:
    asset = assets_upload.sync_detailed(client=client, body=File(payload=BytesIO(upload)))
    sent = post_proteus_message.sync_detailed(
        plan["domain"],
        UUID(plan["conversation"]),
        client=client,
        body=File(payload=BytesIO(message.SerializeToString())),
    )

print(json.dumps([{"status": answer.status_code, "body": answer.parsed.to_dict()} for answer in (asset, sent)]))
