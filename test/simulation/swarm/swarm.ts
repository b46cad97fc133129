/**
 * What a night consists of. Each seed switches features and faults on and off, because a night with all of them would
 * hide failures that appear only without some of them. Everything is plain data, so a failing night can be printed and
 * shrunk piece by piece.
 */

export interface Swarm {
  seed: number;
  /** One machine with an SQLite file, or several machines with a database server whose clock they share. */
  store: 'machine' | 'server';
  hosts: number;
  /** True if processes can see which processes on their machine are alive, as on Linux. */
  areProcessesKnown: boolean;
  integrations: number;
  /** True if all clients share one service key. Otherwise each client has its own key. */
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
  /** True if groups become networks. */
  networks: boolean;
  desk: Desk;
  /** True if all hosts have the same name, as containers can have. */
  sameHostName: boolean;
  /** True if every second host starts with the last client. */
  isCrossed: boolean;
  /** The points at which, or shortly after which, processes are killed or frozen. Null for the most damaging points. */
  struckAt: readonly [string, ...string[]] | null;
  beside: Beside;
  /** True if the CRMs are lists: each reading is complete, and a contact that left is only absent. */
  isList: boolean;
  between: Between;
}

/** Changes between two sessions, each with a probability. 0 switches a change off. */
export interface Between {
  /** The probability that a list gets new IDs for its contacts. */
  newIds: number;
  /** The share of these lists in which most contacts, but not all, get a new ID. */
  inPart: number;
  /** The share of these lists whose new rows still have the values of the old ones. */
  keepsValues: number;
  /** The share of contacts with a new ID whose details have changed as well. */
  moves: number;
  /** The share of these lists in which contacts get their former IDs back. */
  backIds: number;
  /** The probability that a client gets another service key. */
  newKey: number;
  /** The share of new keys that belong to the same team, or that the client had before. */
  sameTeam: number;
  formerKey: number;
}

/** No changes between two sessions. */
export const NO_CHANGES: Between = {
  ...{ newIds: 0, inPart: 0, keepsValues: 0, moves: 0, backIds: 0 },
  ...{ newKey: 0, sameTeam: 0, formerKey: 0 },
};

/** The product's work in addition to syncing. Each is 0 or 1. */
export interface Beside {
  /** 1 to delete data past its retention. */
  purge: number;
  /** 1 to restore a backup with the product's own command. Nothing is spent before a user agrees. */
  agree: number;
  /** 1 to erase a client with all its data at the end. */
  leave: number;
  /** 1 to let hosts handle requests of schedules, users and webhooks, instead of single syncs. */
  serve: number;
  /** 1 to give schedules their own times, which serving processes check. */
  schedule: number;
}

/** A few hours in which hosts sync and people work. */
export interface Session {
  /** The time since the end of the previous session. */
  afterHours: number;
  /** The number of hosts that sync. All of them start within a minute. */
  hosts: number;
  full: boolean;
}

/** The probability of each fault, usually per request, statement or process. 0 switches a fault off. */
export interface Faults {
  /** A process is killed. */
  kill: number;
  /** A process receives SIGTERM. */
  stop: number;
  /** A process is frozen for a while (SIGSTOP, or a sleeping laptop). */
  freeze: number;
  /** A clock is wrong by seconds or minutes. */
  clockSkew: number;
  /** A clock is set while a process runs. */
  clockJump: number;
  /** A request never arrives at the service. */
  lostRequest: number;
  lostAnswer: number;
  cutAnswer: number;
  /** A gateway responds with 502 instead of the service, before or after the service has done the work. */
  badGateway: number;
  /** The service responds with 500 and refunds the charge. */
  serverError: number;
  /** Another program with the same key uses up the rate. */
  throttle: number;
  /** An operation of the CRM fails, before or after it took effect. */
  crm: number;
  /** The database is unavailable for seconds. Per minute of the night. */
  databaseAway: number;
  /** The disk is full for a while. Per minute of the night. */
  diskFull: number;
  /** The database file is replaced with a copy while processes have it open. Per minute of the night. */
  replaced: number;
  /** A newer version migrates the schema while processes of this version are running. Per minute of the night. */
  newer: number;
  /** Yesterday's backup is restored. */
  restore: number;
}

export const NO_FAULTS: Faults = {
  ...{ kill: 0, stop: 0, freeze: 0, clockSkew: 0, clockJump: 0, lostRequest: 0, lostAnswer: 0 },
  ...{ cutAnswer: 0, badGateway: 0, serverError: 0, throttle: 0, crm: 0, databaseAway: 0 },
  ...{ diskFull: 0, replaced: 0, newer: 0, restore: 0 },
};

/** Users' edits in the CRM while hosts sync. Per contact and session. */
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
  /** The integration's user loses access to an identity field, or gets it back. Per session. */
  revoke: number;
  /** A deleted contact is restored, or a contact that opted out opts in again. */
  comeBack: number;
  optIn: number;
  /** The share of contacts that are a second record of the same person. */
  doubles: number;
  /** The delay of the CRM's search (ms). */
  lagMs: number;
  /** The maximum latency of a request in each direction (ms), if it is longer than usual. */
  slowMs: number;
  /** An erased contact is merged, or a contact into which an erased contact was merged. Per session. */
  mergeErased: number;
  /** A record becomes another person: a user types another name and other details over it. */
  become: number;
  /** The share of sessions in which a rule refuses some values of a field, until the session ends or longer. */
  rule: number;
  /** The share of sessions in which the integration's user cannot write a field, or a field is too short. */
  lock: number;
  narrow: number;
  /** The integration's user cannot see a record for a while, and nothing reports it. */
  vanish: number;
  /** 1 if a flow of the CRM changes each value after it was written. */
  automation: number;
  /** 1 if the CRM stores the author of each value, and its flow runs after the value was read back. */
  keepsAuthors: number;
  /** 1 if a merge fills blank fields of the remaining record from the other record. */
  fillsBlanks: number;
}

/** Users' actions in the product itself. Per client and session. */
export interface Desk {
  /** Deciding about holds, one by one or in batches. */
  decide: number;
  /** Undoing a run. */
  undo: number;
  /** Syncing a single contact. */
  only: number;
  /** Erasing a contact. */
  forget: number;
  /** 1 if users answer on pages, where they can withdraw an answer, and with a second user. */
  answers: number;
}

export interface ServiceHabits {
  /** The share of jobs that fail, are deleted after a while, or return another person's profile. */
  failed: number;
  vanished: number;
  wrongPerson: number;
  deceased: number;
  /** The share of young jobs that the service denies having, because not all of its machines know them yet. */
  denied: number;
  /** The share of submissions of which the service accepts only a part. */
  partly: number;
  /** The share of people who are refused with a 422. */
  invalid: number;
  /** The credits of each key at the start. */
  credits: number;
  /** Another user spends from the same bucket, per minute. */
  otherSpender: number;
  /** Credits are bought right after a response was lost. */
  buyer: number;
  /** After a process knows that a response is lost, as many credits are bought as it cost. */
  hidingBuyer: number;
  /** The maximum duration of a job (ms). */
  jobMs: number;
  /** The latency of a submission's response (ms), which decides how many are in flight at the same time. */
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
  /**
   * The maximum number of people in a submission. It is small, so that even a few contacts lead to many submissions.
   */
  batch: number;
}
