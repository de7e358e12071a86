# region failed
curl "$CAUSEWAY_URL/v0/deliveries?status=exhausted" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region again
curl "$CAUSEWAY_URL/v0/deliveries/retry" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{
    "filter": { "eventType": "virtual_account.*" }
  }'
# endregion

# region endpoint
curl "$CAUSEWAY_URL/v0/webhook-endpoints" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{
    "webhookUrl": "http://127.0.0.1:8081/inbox/ledger",
    "description": "The ledger",
    "eventTypes": ["virtual_account.*"],
    "ordering": "per_end_user"
  }'
# endregion
