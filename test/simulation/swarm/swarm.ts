/**
 * The ingredients of a night. Each seed switches features and faults on and off, because a night with all of them would
 * hide failures that only show if some are missing. Everything here is plain data, so a failing night can be printed,
 * and shrunk piece by piece.
 */

export interface Swarm {
  seed: number;
  /** One machine with an SQLite file, or several machines with a database server whose clock all share. */
  store: 'machine' | 'server';
  hosts: number;
  /** True if processes can tell which processes of their machine are alive, as on Linux. */
  areProcessesKnown: boolean;
  integrations: number;
  /** True if all integrations share one service key. Otherwise each has its own. */
  sharedKey: boolean;
  /** The number of contacts in each integration's CRM at the start. */
  contacts: number;
  /** How many of them a CRM sends at once. */
  pageSize: number;
  sessions: readonly Session[];
  faults: Faults;
  people: People;
  service: ServiceHabits;
  settings: NightSettings;
  /** True if groups become networks. */
  networks: boolean;
  desk: Desk;
  /** True if all hosts have the same name, as containers may. */
  sameHostName: boolean;
  /** True if every other host starts with the last integration. */
  isCrossed: boolean;
  /**
   * The points at which, or shortly after which, processes are killed or frozen, or null for the most damaging points.
   */
  struckAt: readonly [string, ...string[]] | null;
  beside: Beside;
  /** True if the CRMs are lists: each reading is complete, and a contact that left is only absent. */
  isList: boolean;
  between: Between;
}

/** Changes between two sessions, each as a probability. 0 switches it off. */
export interface Between {
  /** A list comes with new IDs for its contacts. For each list. */
  newIds: number;
  /** The share of these lists: most contacts get a new ID, but not all. */
  inPart: number;
  /** The share of these lists: the new rows still have the values of the old ones. */
  keepsValues: number;
  /** The share of contacts with a new ID: their details have changed as well. */
  moves: number;
  /** The share of these lists: contacts get the IDs back that they had before. */
  backIds: number;
  /** An integration gets another service key; for each integration. */
  newKey: number;
  /** The share of other keys: a key of the same team, or one that the integration had before. */
  sameTeam: number;
  formerKey: number;
}

/** Nothing changes between two sessions. */
export const NO_CHANGES: Between = {
  ...{ newIds: 0, inPart: 0, keepsValues: 0, moves: 0, backIds: 0 },
  ...{ newKey: 0, sameTeam: 0, formerKey: 0 },
};

/** The product's work in addition to syncing; 0 or 1 each. */
export interface Beside {
  /** Data past its retention is deleted. */
  purge: number;
  /** A backup is restored by the product's own means: nothing is spent before a user agrees. */
  agree: number;
  /** An integration leaves at the end, and all data about it is erased. */
  leave: number;
  /** Hosts answer requests of schedules, users and webhooks, in place of a single sync. */
  serve: number;
  /** Schedules have their own times, which processes that serve check. */
  schedule: number;
}

/** Some hours in which hosts sync and people work. */
export interface Session {
  /** Since the end of the session before. */
  afterHours: number;
  /** The number of hosts that sync. All of them start within a minute. */
  hosts: number;
  full: boolean;
}

/** The probability of each fault, mostly per request, statement or life of a process. 0 switches it off. */
export interface Faults {
  /** A process is killed within its life. */
  kill: number;
  /** A process receives SIGTERM. */
  stop: number;
  /** A process is frozen for a while (SIGSTOP, a sleeping laptop). */
  freeze: number;
  /** A clock is wrong by seconds or minutes. */
  clockSkew: number;
  /** A clock is set while a process runs. */
  clockJump: number;
  /** A request does not arrive at the service. */
  lostRequest: number;
  lostAnswer: number;
  cutAnswer: number;
  /** A gateway responds with 502 instead of the service, before or after it has done the work. */
  badGateway: number;
  /** The service responds with 500, and refunds. */
  serverError: number;
  /** Something else with the same key uses up the rate. */
  throttle: number;
  /** An operation of the CRM fails, before or after it took effect. */
  crm: number;
  /** The database is unavailable for seconds, per minute of the night. */
  databaseAway: number;
  /** The disk is full for a while; also per minute. */
  diskFull: number;
  /** The database file is replaced with a copy while processes have it open, per minute. */
  replaced: number;
  /** A newer version migrates the schema while processes of this version are running, per minute. */
  newer: number;
  /** Yesterday's backup is restored. */
  restore: number;
}

/** Nothing fails. */
export const NO_FAULTS: Faults = {
  ...{ kill: 0, stop: 0, freeze: 0, clockSkew: 0, clockJump: 0, lostRequest: 0, lostAnswer: 0 },
  ...{ cutAnswer: 0, badGateway: 0, serverError: 0, throttle: 0, crm: 0, databaseAway: 0 },
  ...{ diskFull: 0, replaced: 0, newer: 0, restore: 0 },
};

/** Users' edits in the CRM while hosts sync, per contact and session. */
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
  /** The integration's user loses access to a field of the identity, or regains it; per session. */
  revoke: number;
  /** A deleted contact is restored, or a contact that opted out opts in again. */
  comeBack: number;
  optIn: number;
  /** The share of contacts: a second record of the same human being. */
  doubles: number;
  /** How long the CRM's search lags behind its records (ms). */
  lagMs: number;
  /** Maximum latency of each direction of a request (ms), if that is longer than usual. */
  slowMs: number;
  /** An erased contact is merged, and so is a contact that an erased contact was merged into; per session. */
  mergeErased: number;
  /** A record becomes another human being: somebody types another name and other details over it. */
  become: number;
  /** The share of sessions: a rule refuses some values of a field, until the session ends or longer. */
  rule: number;
  /** The share of sessions: the integration's user may not write a field, or a field is too short. */
  lock: number;
  narrow: number;
  /** The integration's user cannot see a record for a while, and nothing reports it. */
  vanish: number;
  /** 1 if a flow of the CRM changes a value after each write. */
  automation: number;
  /** 1 if the CRM keeps the author of each value, and its flow runs after the value was read back. */
  keepsAuthors: number;
  /** 1 if a merge fills blank fields of the record that stays from the other record. */
  fillsBlanks: number;
}

/** Users' actions in the product itself; per integration and session. */
export interface Desk {
  /** Decide about holds, one by one or in batches. */
  decide: number;
  /** Undo a run. */
  undo: number;
  /** Sync a single contact. */
  only: number;
  /** Erase a contact. */
  forget: number;
  /** 1 if users answer on pages, where they can withdraw an answer, and with a second person. */
  answers: number;
}

export interface ServiceHabits {
  /** The share of jobs: they end as failed, are forgotten after a while, or belong to another person. */
  failed: number;
  vanished: number;
  wrongPerson: number;
  deceased: number;
  /** The service may deny a young job that it has, because not all of its machines know it yet. */
  denied: number;
  /** The share of submissions: the service accepts only part of them. */
  partly: number;
  /** People who are refused with a 422. */
  invalid: number;
  /** Credits at the start, for each key. */
  credits: number;
  /** Another user spends from the same bucket, per minute. */
  otherSpender: number;
  /** Credits are bought right after a response was lost. */
  buyer: number;
  /** Once its process knows that a response is lost, as many credits are bought as it cost. */
  hidingBuyer: number;
  /** Maximum duration of jobs (ms). */
  jobMs: number;
  /** The latency of a submission's response (ms), so several are in flight at the same time. */
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
  /** The maximum number of people in a submission. Kept small so that even a few contacts produce many submissions. */
  batch: number;
}
