# region read
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

account_id = os.environ.get("ACCOUNT_ID", "va_…")
answer = causeway.get(f"/v0/virtual-accounts/{account_id}/deposit-instructions").raise_for_status()
for instruction in answer.json()["data"]["instructions"]:
    print(instruction["railName"])
    for detail in instruction["details"]:
        print(f"  {detail['label']}: {detail['value']}")
# endregion
