# region stream
import os
import pathlib

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)
causeway.timeout = 60  # longer than the wait
place = pathlib.Path("place")
path = f"/v0/events?wait=30&limit=100&after={place.read_text()}" if place.exists() else "/v0/events?wait=30&limit=100"
while True:
    page = causeway.get(path).raise_for_status()
    for event in page.json()["data"]:
        print(event["payload"]["event_type"], flush=True)
    path = page.links["next"]["url"]  # also on an empty page
    place.write_text(httpx.URL(path).params["after"])  # after the work: a crash repeats a page, and loses none
# endregion
