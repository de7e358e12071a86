# region send
DEPOSIT_ID=$(curl "$CAUSEWAY_URL/v0/sandbox/deposits" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON | jq -r .data.id
{ "virtualAccountId": "$ACCOUNT_ID", "amount": "1000.00" }
JSON
)
# endregion

# region wait
DEPOSITS="$CAUSEWAY_URL/v0/virtual-accounts/$ACCOUNT_ID/deposits"
until curl "$DEPOSITS?status=completed" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  grep "$DEPOSIT_ID"; do sleep 1; done
# endregion

# region read
curl "$CAUSEWAY_URL/v0/deposits/$DEPOSIT_ID" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  jq '.data | {status, grossAmount, netAmount, timeline}'
# endregion

# region list
curl "$DEPOSITS?status=completed" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
