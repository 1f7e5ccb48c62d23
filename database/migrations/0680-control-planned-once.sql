-- LG-02: the sums of the control page are planned once for a connection. PostgreSQL took a plan for the very day each time, which cost as
-- much as a third of reading it.
alter function public.account_control(date, date) set plan_cache_mode = force_generic_plan;
