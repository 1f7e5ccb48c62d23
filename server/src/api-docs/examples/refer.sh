curl --silent --show-error --fail-with-body \
  "$PARRAIN_URL/functions/v1/receive-referral" \
  --header "Authorization: Bearer $PARRAIN_KEY" \
  --header "Content-Type: application/json" \
  --data "{
    \"source\": \"mon-crm\",
    \"reference\": \"$REFERENCE\",
    \"referrer_email\": \"$REFERRER\",
    \"name\": \"Jeanne Martin\",
    \"email\": \"$FRIEND\",
    \"status\": \"validated\",
    \"contract_amount\": \"4200.50\",
    \"contract_description\": \"Isolation des combles\"
  }"
