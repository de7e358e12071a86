# region branding
curl -X PUT "$CAUSEWAY_URL/v0/branding" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{
    "name": "Nubia Pay",
    "colors": { "primary": "#4338ca" },
    "supportEmail": "help@nubia.example",
    "privacyUrl": "https://nubia.example/privacy",
    "embedOrigins": ["https://app.nubia.example"]
  }'
# endregion

# region links
END_USER=${END_USER:-grace}
LINK_ID=$(curl "$CAUSEWAY_URL/v0/end-users/$END_USER/onboarding-links" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  jq -r '.data[0].id')
curl -X DELETE "$CAUSEWAY_URL/v0/onboarding-links/$LINK_ID" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
