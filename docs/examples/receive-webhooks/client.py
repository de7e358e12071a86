# region register
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

created = causeway.post(
    "/v0/webhook-endpoints",
    json={
        "webhookUrl": os.environ.get("RECEIVER_URL", "http://127.0.0.1:9000/webhooks"),
        "eventTypes": ["virtual_account.*"],
    },
)
endpoint = created.raise_for_status().json()["data"]
print(endpoint["signingSecret"])  # shown once: keep it
# endregion

# region test
causeway.post(
    f"/v0/webhook-endpoints/{endpoint['id']}/test",
    json={"eventType": "virtual_account.payment.received"},
).raise_for_status()
# endregion
