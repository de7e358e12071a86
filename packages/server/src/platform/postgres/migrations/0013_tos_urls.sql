-- Links to the terms lie sealed from now on. Those of an older version that hold a mail address are emptied: whoever asks
-- for the link again is handed a new one.
update tos_links set provider_url = '' where provider_url ~ '[?&]email=';
