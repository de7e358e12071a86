-- Requirements tell what is open of each person of a company, and what will be asked for from a date on. Written so that a
-- second run changes nothing.

alter table end_users alter column requirements
  set default '{"currentlyDue":[],"pendingReview":[],"errors":[],"associatedPersons":[],"future":[]}';
update end_users set requirements = '{"associatedPersons":[],"future":[]}'::jsonb || requirements
  where not requirements ? 'future';
