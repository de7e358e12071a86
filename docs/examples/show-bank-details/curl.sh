# region read
curl "$CAUSEWAY_URL/v0/virtual-accounts/$ACCOUNT_ID/deposit-instructions" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
