-- Ids of commissions in the order of time: each is the newest in the key's index and in the trail's, where a random one touched a page
-- of its own in both, which the log then holds whole after a checkpoint (decision 0024).
alter table public.commission_payments alter column id set default uuidv7();
