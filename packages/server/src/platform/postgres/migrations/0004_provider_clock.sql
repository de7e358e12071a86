-- The provider's own time of the answer that our view of an end-user stands on: answers may be taken in out of order, and
-- an older one must not undo a newer one. Written so that a second run changes nothing.

alter table end_users add column if not exists provider_updated_at timestamptz(3);
