/**
 * The settings of a simulated night. Each seed switches features and faults on or off, because a night with all faults
 * would hide some failures. All settings are plain data, so the command can print a failing night and reduce it piece
 * by piece.
 */

export interface Swarm {
  seed: number;
  /** One machine with an SQLite file, or several machines with a database server whose clock they share. */
  store: 'machine' | 'server';
  hosts: number;
  /** True if a process can see which processes on its machine are alive, as on Linux. */
  areProcessesKnown: boolean;
  integrations: number;
  /** True if all clients share one service key. If false, each client has a separate key. */
  sharedKey: boolean;
  /** The number of contacts in each client's CRM at the start. */
  contacts: number;
  /** The number of contacts on a page of the CRM. */
  pageSize: number;
  sessions: readonly Session[];
  faults: Faults;
  people: People;
  service: ServiceHabits;
  settings: NightSettings;
  /** True if the clients' CRM groups become networks in the service. */
  networks: boolean;
  desk: Desk;
  /** True if all hosts have one shared name, as containers can have. */
  sameHostName: boolean;
  /** True if every second host starts its work with the last client instead of the first client. */
  isCrossed: boolean;
  /** The points at which, or shortly after which, processes are killed or frozen. Null for the most damaging points. */
  struckAt: readonly [string, ...string[]] | null;
  beside: Beside;
  /** True if the CRMs are lists. Each reading of a list is then complete, and a contact that left is only absent. */
  isList: boolean;
  between: Between;
  restored: Restored;
}

/** What an operator finds when a backup is restored with the product's own command. */
export interface Restored {
  /**
   * The spending journal. The journal can be complete, missing or without its last lines. The journal can also be as
   * old as the backup, because the whole disk was restored.
   */
  journal: 'there' | 'absent' | 'old' | 'cut';
  /** The way in which others change the credits between the backup and the restore. */
  since: 'nothing' | 'top-up' | 'spending';
  /** When a user agrees that the restored database may spend. Null for any time. */
  agreed: 'at once' | 'later' | null;
}

/** The changes between two sessions, each with its probability. The probability 0 switches a change off. */
export interface Between {
  /** The probability that a list gets new IDs for its contacts. */
  newIds: number;
  /** The share of lists with new IDs in which most contacts, but not all contacts, get a new ID. */
  inPart: number;
  /** The share of lists with new IDs whose new rows still have the old rows' values. */
  keepsValues: number;
  /** The share of contacts with a new ID whose details have also changed. */
  moves: number;
  /** The share of lists with new IDs in which contacts get their former IDs back. */
  backIds: number;
  /** The probability that a client gets a new service key. */
  newKey: number;
  /** The share of new keys that belong to the same team, or that the client has used before. */
  sameTeam: number;
  formerKey: number;
}

/** No changes between two sessions. */
export const NO_CHANGES: Between = {
  ...{ newIds: 0, inPart: 0, keepsValues: 0, moves: 0, backIds: 0 },
  ...{ newKey: 0, sameTeam: 0, formerKey: 0 },
};

/** The work that the product does in addition to syncing. The value of each kind of work is 0 or 1. */
export interface Beside {
  /** The value 1 deletes data when its retention period has ended. */
  purge: number;
  /**
   * The value 1 restores a backup with the product's own command. The product spends nothing before a user agrees.
   */
  agree: number;
  /** The value 1 erases a client with all its data at the end. */
  leave: number;
  /** With the value 1, hosts handle the requests of schedules, users and webhooks. Otherwise individual syncs run. */
  serve: number;
  /** The value 1 gives each schedule its own times, which the serving processes check. */
  schedule: number;
}

/** A few hours in which hosts sync and users work. */
export interface Session {
  /** The time since the end of the previous session. */
  afterHours: number;
  /** The number of hosts that sync. All hosts start within a minute. */
  hosts: number;
  full: boolean;
}

/**
 * The probability of each fault, usually per request, statement or process. The probability 0 switches a fault off.
 */
export interface Faults {
  kill: number;
  /** A process receives SIGTERM. */
  stop: number;
  /** A process is frozen for a while (SIGSTOP, or a sleeping laptop). */
  freeze: number;
  /** The clock of a host is wrong by seconds or minutes. */
  clockSkew: number;
  /** A clock is set while a process runs. */
  clockJump: number;
  /** A request is lost on its way to the service. */
  lostRequest: number;
  lostAnswer: number;
  cutAnswer: number;
  /** A gateway responds with 502 in place of the service. The service has or has not done the work. */
  badGateway: number;
  /** The service responds with 500 and refunds the charge. */
  serverError: number;
  /** The probability that a different program with the same key uses the whole rate limit. */
  throttle: number;
  /** A CRM operation fails before it takes effect, or after it has taken effect. */
  crm: number;
  /** The database is unavailable for some seconds. */
  databaseAway: number;
  /** The probability is per minute of the simulated night. */
  diskFull: number;
  /**
   * The database file is replaced with a copy while processes have it open. The probability is per minute of the
   * simulated night.
   */
  replaced: number;
  /**
   * A newer version migrates the schema while processes of this version are running. The probability is per minute of
   * the simulated night.
   */
  newer: number;
  /** Yesterday's backup is restored. */
  restore: number;
}

export const NO_FAULTS: Faults = {
  ...{ kill: 0, stop: 0, freeze: 0, clockSkew: 0, clockJump: 0, lostRequest: 0, lostAnswer: 0 },
  ...{ cutAnswer: 0, badGateway: 0, serverError: 0, throttle: 0, crm: 0, databaseAway: 0 },
  ...{ diskFull: 0, replaced: 0, newer: 0, restore: 0 },
};

/** Users' edits in the CRM while hosts sync. The values are per contact and session. */
export interface People {
  move: number;
  moveBack: number;
  newJob: number;
  respell: number;
  type: number;
  merge: number;
  remove: number;
  create: number;
  optOut: number;
  /** The client's CRM user loses access to an identity field, or regains it. The probability is per session. */
  revoke: number;
  /** A deleted contact is restored, or a contact that opted out opts in again. */
  comeBack: number;
  optIn: number;
  /** The share of contacts that are a second record of a person. */
  doubles: number;
  /** The delay of the CRM's search (ms). */
  lagMs: number;
  /** The maximum latency of a request in each direction (ms), if it is longer than usual. */
  slowMs: number;
  /**
   * The chance per session that an erased contact is merged into a different contact. A contact into which an erased
   * contact was merged can also be merged.
   */
  mergeErased: number;
  /** A user types a different person's name and details into a record. */
  become: number;
  /** The share of sessions in which a rule refuses some values of a field, until the session ends or longer. */
  rule: number;
  /** The share of sessions in which the integration's user cannot write a field, or a field is too short. */
  lock: number;
  narrow: number;
  /** The integration's user cannot see a record for a while, and nothing reports it. */
  vanish: number;
  /** With the value 1, a flow of the CRM changes each value after it has been written. */
  automation: number;
  /**
   * With the value 1, the CRM stores the author of each value, and its flow runs after the product has read the value
   * back.
   */
  keepsAuthors: number;
  /** With the value 1, a merge fills blank fields of the remaining record from the other record. */
  fillsBlanks: number;
  /** The probability that a user marks a contact as “do not contact”, or removes the mark again. */
  doNotContact: number;
}

/** Users' actions in the product itself. The values are per client and session. */
export interface Desk {
  /** The probability that users decide about held contacts, individually or in batches. */
  decide: number;
  /** Users undo a run. */
  undo: number;
  /** Users sync a single contact. */
  only: number;
  /** Users erase a contact. */
  forget: number;
  /**
   * With the value 1, users answer on pages, where they can withdraw an answer. Some answers then need a second user's
   * confirmation.
   */
  answers: number;
}

export interface ServiceHabits {
  /** The share of jobs that fail, are deleted after some time, or return a different person's profile. */
  failed: number;
  vanished: number;
  wrongPerson: number;
  deceased: number;
  /** The share of jobs in whose match the service is not confident. If 0, the service reports no confidence. */
  unsure: number;
  /** The credits that each query about connections costs. */
  queryPrice: number;
  /** The share of new jobs that the service reports as missing, because not all of its machines know them yet. */
  denied: number;
  /** The share of submissions that the service accepts only in part. */
  partly: number;
  /** The share of people who are refused with a 422. */
  invalid: number;
  /** The number of credits that each service key has at the start. */
  credits: number;
  /** The number of credits that a different user spends from the client's bucket per minute. */
  otherSpender: number;
  /** Others buy credits immediately after a response was lost. */
  buyer: number;
  /** After a process knows that a response is lost, others buy as many credits as the submission cost. */
  hidingBuyer: number;
  /** The maximum duration of a job (ms). */
  jobMs: number;
  /**
   * The latency of a submission's response (ms), which determines how many submissions are in flight at the same time.
   */
  submitMs: number;
}

export interface NightSettings {
  onLostAnswer: 'hold' | 'resubmit';
  keep: number;
  perRun: number | null;
  perMonth: number | null;
  refreshDays: number | null;
  whenIdentityChanges: boolean;
  shareProfiles: boolean;
  settleAfterMs: number;
  trial: boolean;
  trialSize: number;
  massChangeAtLeast: number;
  /** The time zone of schedules, and of the months of budgets. */
  timezone: string;
  /** Usually every few minutes, because processes serve only for a short time. */
  cron: string;
  /** The number of contacts that the settings list as objecting to research. */
  objectors: number;
  minProbability: number | null;
  /** The limits for queries, or null for the settings' own limits. */
  queries: { perRun: number; keep: number } | null;
  /**
   * The maximum number of people in a submission. The small maximum lets even a few contacts produce many submissions.
   */
  batch: number;
}
