# region register
RECEIVER_URL=${RECEIVER_URL:-http://127.0.0.1:9000/webhooks}
ENDPOINT=$(curl "$CAUSEWAY_URL/v0/webhook-endpoints" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "webhookUrl": "$RECEIVER_URL", "eventTypes": ["virtual_account.*"] }
JSON
)
export SIGNING_SECRET=$(jq -r .data.signingSecret <<<"$ENDPOINT")
# endregion

# region test
ENDPOINT_ID=$(jq -r .data.id <<<"$ENDPOINT")
curl "$CAUSEWAY_URL/v0/webhook-endpoints/$ENDPOINT_ID/test" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{ "eventType": "virtual_account.payment.received" }'
# endregion
