/**
 * Lists the topics that use a different topic's table in SQL, with the reasons. `test/architecture.test.ts` fails for
 * each use that is missing here, and for each line here that no file needs. Normally, a change belongs in a function
 * of the table's topic that uses the caller's transaction. Each line under `CHANGES` either has a reason to remain or
 * still has to be moved.
 */
type Tables = Readonly<Record<string, string>>;

/**
 * This topic is the only topic that works with the rows of all topics. It erases, shows, exports and purges rows, as
 * the catalogue of tables declares.
 */
export const WORKS_WITH_ALL = 'privacy';

const PICKS =
  'the query picks rows by it: in two queries, the ids of all contacts would go through the program';

/** The tables that each topic's queries read in other topics, mostly in joins. */
export const READS: Readonly<Record<string, Tables>> = {
  backup: { integrations: 'holds every client that a restored database knows' },
  clients: {
    submissions: 'what a client is doing now is one query over what is in progress',
    questions: 'the same',
    run_requests: 'the same; and a burst ends with the request that waits',
    runs: 'the same; and a client is listed with its last run',
  },
  contacts: {
    integrations: 'what the list was read with is compared in the same transaction',
    jobs: PICKS,
    partner_keys: PICKS,
    submissions: PICKS,
    questions: PICKS,
    kept_profiles: PICKS,
    writes: PICKS,
    runs: PICKS,
    forgotten: 'who was erased is compared in the transaction that stores a page',
  },
  credits: {
    contacts: PICKS,
    questions: PICKS,
    run_rows: 'sums by day count what the runs of a day have written',
    runs: 'the same; and a balance belongs to the runs of its key',
    secrets: 'the row of the fingerprint key is locked while the spending journal is rewritten',
  },
  database: {
    integrations: 'the lease of a client is in its row',
    audit_head: 'a row there says that the fingerprint key was in use',
  },
  decisions: {
    contacts: PICKS,
    jobs: PICKS,
    networks: 'a question about a network is listed with its name',
  },
  fields: {
    integrations: 'whether another tool writes is noted with the client',
    contacts: PICKS,
    jobs: PICKS,
    runs: PICKS,
  },
  jobs: {
    hooks: 'only a client with a webhook is read again',
    run_requests: 'what the queue holds is compared with the requests that wait',
  },
  networks: { contacts: PICKS, runs: 'a network is listed with the run that read it' },
  paths: {
    contacts: PICKS,
    kept_profiles: PICKS,
    runs: PICKS,
    warm_path_costs: 'the report of a run has the cost',
  },
  sync: {
    integrations: 'a run begins and ends with its client’s row',
    contacts: PICKS,
    partner_keys: 'the report of a run has the balance',
  },
};

/** The tables that each topic changes in other topics. */
export const CHANGES: Readonly<Record<string, Tables>> = {
  backup: {
    moves: 'the move of a store is noted in both databases before either is open',
  },
  clients: { run_requests: 'a client that is removed drops its requests' },
  contacts: {
    integrations: 'a page moves the cursor in the transaction that stores its contacts',
    jobs: 'a merge moves the contact, its jobs and its questions at once',
    questions: 'the same; and a guard holds contacts with the questions about them',
    kept_profiles: 'an opt-out mark starts the time until a profile is deleted',
    forgotten: 'a merge with an erased contact blocks the one that is left',
  },
  database: {
    integrations: 'the lease of a client is in its row',
    browser_sessions: 'deleting sessions that are over shows whether the database takes writes',
  },
  decisions: {
    jobs: 'an answer about a profile moves its job',
    networks: 'an answer about a deleted network lets it be created again',
    network_members: 'the same',
  },
  fields: {
    integrations: 'whether another tool writes is noted with the client',
    jobs: 'a delivery ends its job',
    warm_paths: 'a record that is back has its path written again',
  },
  sync: { integrations: 'a run begins and ends with its client’s row' },
};
