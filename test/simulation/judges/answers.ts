/**
 * The judge's own model of questions and answers. An answer has a subject, the user who gave it, and the time from
 * which it is in force. If the answer needs a second user, this time is null until a second user confirms the answer. A
 * clock, a run, a retry or a restored backup never sets this time.
 */
import type { Account } from '../../../src/core/second-person.ts';
import type { SharedStore } from '../database/store.ts';
import type { Swarm } from '../swarm/swarm.ts';

/** A user who requests or confirms an action. */
export interface User extends Account {
  /** The time when the account was created, or null if it has always existed. */
  madeAt: number | null;
}

/** A waiting answer as the product shows it. */
export interface Waiting {
  /** A text that is equal for equal requests. */
  text: string;
  /** The ID of the account that made the request. */
  askedBy: string;
  what: Subject['what'];
}

export type Subject =
  /**
   * The subject of a user's answer: some questions, all questions of some batches, a run to undo, or a contact to
   * erase.
   */
  | {
      what: 'decide';
      decision: 'approved' | 'rejected' | 'resubmitted';
      questions: ReadonlySet<string>;
      batches: ReadonlySet<string>;
    }
  | { what: 'undo'; run: string }
  | { what: 'forget'; contact: string };

export interface Answer {
  readonly subject: Subject;
  readonly by: User | null;
  readonly needs: 'second person' | null;
  /** The time when the product accepted the answer, or null if its process has not reported this. */
  heardAt: number | null;
  /** The open questions that the answer was about when the product accepted it. */
  heardOpen: ReadonlySet<string>;
  /** The questions that were open when the answer was given or accepted. */
  readonly open: Set<string>;
  /** The time from which the answer is in force. Null until a second user confirms the answer. */
  inForceFrom: number | null;
  /** The end of the answer, or null if the answer can still take effect. */
  end: { why: 'withdrawn' | 'refused' | 'not taken' | 'restored'; at: number } | null;
  /** The request as the product describes it, or null if it needs no second user. */
  readonly text: string | null;
}

export interface Answers {
  /** Records an answer that needs no second user, so the answer can take effect at any time. */
  give(subject: Subject): Answer;
  ask(subject: Subject, by: User, text: string): Answer;
  /** Records that the product has accepted an answer that needs a second user. */
  heard(answer: Answer): void;
  end(answer: Answer, why: NonNullable<Answer['end']>['why']): void;
  /** Records a second user's confirmation, and whether the product must refuse the confirmation. */
  confirm(waiting: Waiting, by: User): Confirmation;
  /** Records that a backup has replaced the database, by the product's own command or otherwise. */
  onRestored(backupAt: number, isByProduct: boolean): void;
  /** Checks that each answer in force was given by a user and no longer waits for a second user. */
  judge(): void;
}

export interface Confirmation {
  /**
   * The reason to refuse the confirmation. Null if the product must accept the confirmation, or if the judge cannot
   * tell.
   */
  why: string | null;
  /** Records that the product reports success. */
  done(): void;
  /** Records that the product has refused the request. */
  refused(code: string): void;
}

export interface AnswersDeps {
  swarm: Swarm;
  store: Pick<SharedStore, 'rows'>;
  now(): number;
  isUnknown(at: number): boolean;
  violate(invariant: string, what: string): void;
  look(judge: string, subject: string): void;
}

const SECOND = 'a second person';
const SEVEN_DAYS_MS = 7 * 86_400_000;

export function createAnswers({
  swarm,
  store,
  now,
  isUnknown,
  violate,
  look,
}: AnswersDeps): Answers {
  const answers: Answer[] = [];
  const judged = new Set<string>();
  /** Times of different hosts can be compared only if the clocks are right. */
  const areClocksRight = swarm.faults.clockSkew + swarm.faults.clockJump === 0;

  return {
    give: (subject) => add(subject, null, null, null),
    ask: (subject, by, text) => add(subject, by, 'second person', text),
    heard(answer) {
      answer.heardAt = now();
      answer.heardOpen = openOf(answer.subject);
      for (const id of answer.heardOpen) answer.open.add(id);
    },
    end(answer, why) {
      answer.end ??= { why, at: now() };
    },
    confirm,
    onRestored(backupAt, isByProduct) {
      for (const answer of answers) {
        // The restored database does not contain the end of the answer.
        if (answer.end !== null && answer.end.at > backupAt && answer.end.why !== 'restored') {
          answer.end = null;
        }
        const isWaiting = answer.needs !== null && answer.inForceFrom === null;
        if (isByProduct && isWaiting) answer.end ??= { why: 'restored', at: now() };
      }
    },
    judge,
  };

  function add(
    subject: Subject,
    by: User | null,
    needs: Answer['needs'],
    text: string | null,
  ): Answer {
    const answer: Answer = {
      ...{ subject, by, needs, text, end: null, heardAt: null, heardOpen: new Set<string>() },
      open: new Set(openOf(subject)),
      inForceFrom: needs === null ? now() : null,
    };
    answers.push(answer);
    return answer;
  }

  /** Returns the open questions that the subject is about. */
  function openOf(subject: Subject): Set<string> {
    if (subject.what !== 'decide') return new Set();
    const rows = store.rows(OPEN_QUESTIONS);
    return new Set(
      rows.flatMap(({ id, batch }) =>
        subject.questions.has(String(id)) || subject.batches.has(String(batch)) ? String(id) : [],
      ),
    );
  }

  function confirm({ text, askedBy, what }: Waiting, by: User): Confirmation {
    const same = answers.filter((each) => each.text === text && each.by?.id === askedBy);
    if (same.length === 0)
      violate(SECOND, `the product has a request of ${askedBy} that was never made`);
    const open = same.filter(({ inForceFrom }) => inForceFrom === null);
    // If several users sent equal requests, the judge cannot tell which of these requests the product stored.
    const asked = open.length > 0 ? open : same;
    look(SECOND, 'setting: twoPeople');
    const reasons = asked.map((answer) => whyNot(answer, by));
    const why = reasons.includes(null) ? null : (reasons[0] ?? 'nobody asked for it');
    const confirmed = why === null ? open.filter(({ end }) => end === null) : [];
    const openBefore = confirmed.map(({ subject }) => openOf(subject));
    for (const answer of confirmed) answer.inForceFrom = now();
    return {
      why,
      done() {
        if (why !== null) violate(SECOND, `${by.name} confirms, although ${why}`);
        const isLeft = confirmed.map(({ subject }, index) =>
          [...openOf(subject)].some((id) => openBefore[index]?.has(id)),
        );
        if (what !== 'decide' || isLeft.length === 0 || isLeft.includes(false)) return;
        violate(SECOND, 'what was confirmed is not in force');
      },
      refused(code) {
        if (why === null && code === 'approval_same_person') {
          violate(SECOND, `${by.name} is taken for ${askedBy}, who asked`);
        }
        for (const answer of confirmed) answer.inForceFrom = null;
      },
    };
  }

  /**
   * Returns the reason to refuse a confirmation. Returns null if the product must accept the confirmation, or if the
   * judge cannot tell.
   */
  function whyNot(answer: Answer, by: User): string | null {
    const { by: asker, end, heardAt } = answer;
    if (end?.why === 'restored') return 'a backup was put back since it was asked for';
    if (end !== null) return `it was ${end.why}`;
    if (asker === null || isSamePerson(asker, by)) return 'it is the same person who asked';
    if (heardAt === null) return null;
    if (areClocksRight && now() - heardAt >= SEVEN_DAYS_MS) return 'seven days have passed';
    if (areClocksRight && (by.madeAt ?? 0) > heardAt)
      return 'the account is younger than the request';
    if (isUnknown(heardAt)) return null;
    const open = openOf(answer.subject);
    if ([...answer.heardOpen].some((id) => !open.has(id)))
      return 'some of it was decided meanwhile';
    if ([...open].some((id) => !answer.open.has(id))) return 'some of it was added meanwhile';
    return null;
  }

  function judge(): void {
    for (const row of store.rows(DECIDED_QUESTIONS)) {
      const key = `${row['id']} ${row['decision']}`;
      if (judged.has(key)) continue;
      judged.add(key);
      look('who decides', `answer: ${row['kind']} ${row['decision']}`);
      look('who decides', `reason: ${row['kind']}`);
      if (swarm.desk.answers > 0) look('who decides', 'setting: twoPeople');
      if (!answers.some((answer) => isInForce(answer) && isAbout(answer.subject, row))) {
        const what = `the question ${row['id']} (${row['kind']}) is ${row['decision']}`;
        violate('who decides', `${what}, and no answer that is in force says so`);
      }
    }
    for (const { subject, inForceFrom } of answers) {
      if (subject.what !== 'undo' || inForceFrom !== null || isUndoneByAnother(subject.run))
        continue;
      if (store.rows(UNDONE, subject.run).length === 0) continue;
      violate('who decides', `the run ${subject.run} is undone, and no second person agreed`);
    }
  }

  function isUndoneByAnother(run: string): boolean {
    return answers.some(
      ({ subject, inForceFrom }) =>
        subject.what === 'undo' && subject.run === run && inForceFrom !== null,
    );
  }
}

function isInForce({ inForceFrom, end }: Answer): boolean {
  return inForceFrom !== null && end === null;
}

function isAbout(subject: Subject, { id, batch, decision }: Record<string, unknown>): boolean {
  if (subject.what !== 'decide' || subject.decision !== decision) return false;
  return subject.questions.has(String(id)) || subject.batches.has(String(batch));
}

function isSamePerson(one: Account, other: Account): boolean {
  if (one.kind === other.kind) return one.id === other.id;
  return one.name.trim().toLowerCase() === other.name.trim().toLowerCase();
}

const OPEN_QUESTIONS = 'select id, batch from questions where decision is null';

const DECIDED_QUESTIONS = `select id, batch, kind, decision from questions
  where decision in ('approved', 'rejected', 'resubmitted')`;

const UNDONE = "select id from writes where run_id = ? and state = 'undone' limit 1";
