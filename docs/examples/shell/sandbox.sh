# region decision
curl "$CAUSEWAY_URL/v0/sandbox/kyc-decisions" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER", "decision": "review" }
JSON
# endregion

# region deposit
curl "$CAUSEWAY_URL/v0/sandbox/deposits" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "virtualAccountId": "$ACCOUNT_ID", "amount": "100.00", "outcome": "refunded" }
JSON
# endregion

# region terms
curl "$TOS_LINK" -H "Content-Type: application/json" -d '{}' # returns signedAgreementId
# endregion

# region faults
curl "$SANDBOX_URL/_sandbox/faults" -H "Content-Type: application/json" -d '{
  "method": "POST", "path": "^/v0/customers$", "mode": "cut_after", "times": 1
}'
curl -X DELETE "$SANDBOX_URL/_sandbox/faults" # clears all errors
# endregion

# region behaviour
curl "$SANDBOX_URL/_sandbox/behaviour" -H "Content-Type: application/json" \
  -d '{ "tos_second_origin": true }'
# endregion

# region clock
curl "$CAUSEWAY_URL/v0/sandbox/clock" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{ "advanceSeconds": 86400 }'
# endregion

# region inbox
curl -X PUT "$SANDBOX_URL/inbox/orders/settings" -H "Content-Type: application/json" \
  -d '{ "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }'
# endregion

# region information-request
curl "$CAUSEWAY_URL/v0/sandbox/information-requests" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER" }
JSON
# endregion

# region lost-events
PROVIDER_API_KEY=${PROVIDER_API_KEY:-$(jq -r .providerApiKey .causeway/dev.json)}
WEBHOOK_ID=$(curl "$SANDBOX_URL/v0/webhooks" -H "Api-Key: $PROVIDER_API_KEY" | jq -r '.data[0].id')
curl -X PUT "$SANDBOX_URL/v0/webhooks/$WEBHOOK_ID" -H "Api-Key: $PROVIDER_API_KEY" \
  -H "Content-Type: application/json" -d '{ "status": "disabled" }' # "active" sends events again
# endregion

curl -X PUT "$SANDBOX_URL/v0/webhooks/$WEBHOOK_ID" -H "Api-Key: $PROVIDER_API_KEY" \
  -H "Content-Type: application/json" -d '{ "status": "active" }'
