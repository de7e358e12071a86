# region find
curl "$CAUSEWAY_URL/v0/deposits?q=20260105B1QGC01C000001" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region csv
curl "$CAUSEWAY_URL/v0/deposits?status=completed&limit=100" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Accept: text/csv"
# endregion

# region statistics
curl "$CAUSEWAY_URL/v0/stats?interval=day&from=2026-11-01T00:00:00Z" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
