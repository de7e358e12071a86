# region page
curl --include "$CAUSEWAY_URL/v0/events?wait=30&limit=100" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
