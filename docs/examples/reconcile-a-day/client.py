# region sums
import os
from datetime import datetime, timezone

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

day = datetime.now(timezone.utc).date().isoformat()
sums = causeway.get("/v0/reports/deposits/sums", params={"day": day}).raise_for_status().json()["data"]
print(sums["paidIn"], sums["sentOn"])
if sums["differences"]:
    raise SystemExit(f"{len(sums['differences'])} deposits do not add up")
# endregion

# region list
path = f"/v0/reports/deposits?day={day}"
while path:
    page = causeway.get(path).raise_for_status()
    for deposit in page.json()["data"]:
        print(deposit["completedAt"], deposit["id"], deposit["grossAmount"], deposit["netAmount"])
    path = page.links.get("next", {}).get("url")
# endregion

# region csv
path = f"/v0/reports/deposits?day={day}&limit=100"
while path:
    page = causeway.get(path, headers={"Accept": "text/csv"}).raise_for_status()
    print(page.text, end="")
    path = page.links.get("next", {}).get("url")
# endregion
