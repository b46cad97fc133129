/**
 * What a night is made of. Each seed switches features and faults on and off: a night with all of them
 * would hide what shows only where some are missing. Everything here is plain data, so that a failing
 * night can be printed, and made smaller piece by piece.
 */

export interface Swarm {
  seed: number;
  /** One machine with an SQLite file, or several with a database server whose clock all share. */
  store: 'machine' | 'server';
  hosts: number;
  /** True if processes can tell which of their machine live, as on Linux. */
  areProcessesKnown: boolean;
  integrations: number;
  /** True if all integrations have one partner key; otherwise each has its own. */
  sharedKey: boolean;
  /** Contacts in the CRM of each integration when it begins. */
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
  /** True if all hosts have one name, as containers may. */
  sameHostName: boolean;
  /** True if every other host begins with the last integration. */
  isCrossed: boolean;
  /** Where processes are killed or stand still, or shortly afterwards; null for wherever it hurts. */
  struckAt: readonly [string, ...string[]] | null;
  beside: Beside;
}

/** What the product does besides syncing; 0 or 1 each. */
export interface Beside {
  /** What was kept for long enough goes. */
  purge: number;
  /** A backup is put back by the product's own means: nothing is spent before a person agrees. */
  agree: number;
  /** An integration leaves at the end, and all that is known of it is erased. */
  leave: number;
  /** Hosts answer requests of schedules, people and webhooks, in the place of syncing once. */
  serve: number;
  /** Schedules have times of their own, which processes that serve look at. */
  schedule: number;
}

/** Some hours in which hosts sync and people work. */
export interface Session {
  /** Since the end of the one before. */
  afterHours: number;
  /** How many hosts sync; all of them begin within a minute. */
  hosts: number;
  full: boolean;
}

/** How likely each fault is, mostly per request, statement or life of a process; 0 switches it off. */
export interface Faults {
  /** A process is killed within its life. */
  kill: number;
  /** A process is asked to stop (SIGTERM). */
  stop: number;
  /** A process stands still for a while (SIGSTOP, a sleeping laptop). */
  freeze: number;
  /** A clock is wrong by seconds, or minutes. */
  clockSkew: number;
  /** A clock is set while a process runs. */
  clockJump: number;
  /** A request does not arrive at the service. */
  lostRequest: number;
  lostAnswer: number;
  cutAnswer: number;
  /** A gateway answers 502 in place of the service, before or after it has done the work. */
  badGateway: number;
  /** The service answers 500, and refunds. */
  serverError: number;
  /** Something else with the same key uses up the rate. */
  throttle: number;
  /** An operation of the CRM fails, before or after it took effect. */
  crm: number;
  /** The database is away for seconds, per minute of the night. */
  databaseAway: number;
  /** The disk is full for a while, likewise. */
  diskFull: number;
  /** The file of the database is replaced by a copy while processes have it open, per minute. */
  replaced: number;
  /** A newer version brings the schema further while processes of this one are at work, per minute. */
  newer: number;
  /** Yesterday's backup is put back. */
  restore: number;
}

/** Nothing goes wrong. */
export const NO_FAULTS: Faults = {
  ...{ kill: 0, stop: 0, freeze: 0, clockSkew: 0, clockJump: 0, lostRequest: 0, lostAnswer: 0 },
  ...{ cutAnswer: 0, badGateway: 0, serverError: 0, throttle: 0, crm: 0, databaseAway: 0 },
  ...{ diskFull: 0, replaced: 0, newer: 0, restore: 0 },
};

/** What people do in the CRM while hosts sync, in edits per contact and session. */
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
  /** The integration's user loses a field of the identity, or gets it back; per session. */
  revoke: number;
  /** A deleted contact is put back, one that opted out opts in again. */
  comeBack: number;
  optIn: number;
  /** Of the contacts: a second record of the same human being. */
  doubles: number;
  /** How long the CRM's search lags behind its records (ms). */
  lagMs: number;
  /** It takes so long for each way of a request at most (ms), if that is longer than usual. */
  slowMs: number;
  /** Who was erased is merged, and so is who has taken in such a contact; per session. */
  mergeErased: number;
  /** A record becomes another human being: somebody types another name and other details over it. */
  become: number;
  /** Of the sessions: a rule refuses some values of a field, until the session ends or longer. */
  rule: number;
  /** Of the sessions: the integration's user may not write a field; a field is too short. */
  lock: number;
  narrow: number;
  /** The integration's user does not see a record for a while, and nothing tells of it. */
  vanish: number;
  /** 1 if a flow of the CRM changes a value after each write. */
  automation: number;
  /** 1 if a merge fills blank fields of the record that stays from the other one. */
  fillsBlanks: number;
}

/** What people do at the product itself; per integration and session. */
export interface Desk {
  /** Decide holds, one by one or in batches. */
  decide: number;
  /** Take a run back. */
  undo: number;
  /** Sync a single contact. */
  only: number;
  /** Erase a contact. */
  forget: number;
  /** 1 if users answer on pages, where they can withdraw it, and with a second person. */
  answers: number;
}

export interface ServiceHabits {
  /** Of the jobs: end as failed, are forgotten after a while, are of another person. */
  failed: number;
  vanished: number;
  wrongPerson: number;
  deceased: number;
  /** It may deny a job that it has, while that is young: not all of its machines know it. */
  denied: number;
  /** Of the submissions: it takes up a part of them alone. */
  partly: number;
  /** Persons that are refused by a 422. */
  invalid: number;
  /** Credits at the start, for each key. */
  credits: number;
  /** Another user spends from the same bucket, per minute. */
  otherSpender: number;
  /** Credits are bought right after an answer was lost. */
  buyer: number;
  /** As many credits are bought as a lost answer has cost, once its process knows that it is lost. */
  hidingBuyer: number;
  /** Jobs take at most so long (ms). */
  jobMs: number;
  /** The answer to a submission takes so long (ms), so that several are under way at one time. */
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
  /** Persons in a submission at most: small ones, so that few contacts make many. */
  batch: number;
}
