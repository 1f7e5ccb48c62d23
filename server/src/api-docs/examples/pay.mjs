const { PARRAIN_URL, PARRAIN_KEY, REQUEST_ID } = process.env;
const headers = { Authorization: `Bearer ${PARRAIN_KEY}`, 'Content-Type': 'application/json' };

async function ask(path, options = {}) {
  const response = await fetch(new URL(path, PARRAIN_URL), { headers, ...options });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const [request] = await ask(`/rest/v1/payment_requests?id=eq.${REQUEST_ID}&select=version,total::text`);
const answer = await ask('/functions/v1/payment-request?action=update_status', {
  method: 'POST',
  headers: { ...headers, 'Idempotency-Key': `paiement-${REQUEST_ID}-${request.version}` },
  body: JSON.stringify({
    request_id: REQUEST_ID,
    status: 'paid',
    seen_version: request.version,
    expected_amount: request.total,
  }),
});
process.stdout.write(JSON.stringify(answer));
