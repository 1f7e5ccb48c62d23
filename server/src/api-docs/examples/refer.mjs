const { PARRAIN_URL, PARRAIN_KEY, REFERENCE, REFERRER, FRIEND } = process.env;

async function receive(referral) {
  const response = await fetch(new URL('/functions/v1/receive-referral', PARRAIN_URL), {
    method: 'POST',
    headers: { Authorization: `Bearer ${PARRAIN_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ source: 'mon-crm', reference: REFERENCE, ...referral }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

await receive({ referrer_email: REFERRER, name: 'Jeanne Martin', email: FRIEND });
const answer = await receive({
  status: 'validated',
  contract_amount: '4200.50',
  contract_description: 'Isolation des combles',
});
process.stdout.write(JSON.stringify(answer));
