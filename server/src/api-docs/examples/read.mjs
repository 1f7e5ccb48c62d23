const { PARRAIN_URL, PARRAIN_KEY } = process.env;

const address = new URL('/rest/v1/sales', PARRAIN_URL);
address.searchParams.set('select', 'id,status,contract_amount');
address.searchParams.set('order', 'created_at.desc');
address.searchParams.set('limit', '20');
const response = await fetch(address, { headers: { Authorization: `Bearer ${PARRAIN_KEY}` } });
if (!response.ok) throw new Error(await response.text());
process.stdout.write(JSON.stringify(await response.json()));
