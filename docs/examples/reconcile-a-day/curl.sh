# region sums
DAY=$(date -u +%F)
curl "$CAUSEWAY_URL/v0/reports/deposits/sums?day=$DAY" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region list
curl "$CAUSEWAY_URL/v0/reports/deposits?day=$DAY" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region csv
curl "$CAUSEWAY_URL/v0/reports/deposits?day=$DAY&limit=100" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Accept: text/csv"
# endregion
