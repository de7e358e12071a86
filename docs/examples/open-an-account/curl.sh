# region choose
curl "$CAUSEWAY_URL/v0/capabilities" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region open
END_USER=${END_USER:-ada}
ACCOUNT_ID=$(curl "$CAUSEWAY_URL/v0/virtual-accounts" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Idempotency-Key: $END_USER-usd-1" \
  -H "Content-Type: application/json" -d @- <<JSON | jq -r .data.id
{
  "externalUserId": "$END_USER",
  "source": { "currency": "usd" },
  "destination": {
    "payment_rail": "solana",
    "currency": "usdc",
    "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE"
  },
  "developer_fee_percent": "0.5"
}
JSON
)
# endregion

# region read
curl "$CAUSEWAY_URL/v0/virtual-accounts/$ACCOUNT_ID" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
