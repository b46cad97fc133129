/**
 * Simulates users who answer questions while hosts sync. Some answers need a second user. The users also answer in
 * the final period without faults.
 */
import type { Record_ } from '../crm/record.ts';
import {
  ANSWER_ERRANDS,
  type AnsweringDeps,
  type AnswerWork,
  carryOutAll,
  doAnswer,
  firstUsers,
} from '../people/answering.ts';
import { HOUR_MS } from '../timeline.ts';
import type { Errands } from './errands.ts';
import type { Processes } from './processes.ts';
import type { Night } from './world.ts';

export interface Users {
  /** Lets users answer on pages while hosts sync. Some answers need a second user. */
  answerMuch(): Promise<void>;
  /** Carries out confirmed requests, as a service does automatically. */
  finishConfirmed(): Promise<void>;
}

export function createUsers(night: Night, { atWork }: Processes, { repeatLater }: Errands): Users {
  const { swarm, timeline, store, oracle, crms, settings, answering, answers, say } = night;
  const answeringDeps: AnsweringDeps = {
    ...{ random: answering, answers, users: firstUsers(), now: timeline.now, say, onErasureLeft },
    onChangesDecided: oracle.onChangesDecided,
  };
  return { answerMuch, finishConfirmed };

  async function answerMuch(): Promise<void> {
    if (swarm.desk.answers === 0) return;
    for (let times = answering.int(2, 12); times > 0; times -= 1) {
      await timeline.pass(answering.magnitude(1_000, 600_000));
      const integration = answering.one(settings.integrations);
      const crm = crms.get(integration?.id ?? '');
      if (integration === undefined || crm === undefined) return;
      const errand = answering.pick(ANSWER_ERRANDS);
      await atWork(async (application, life) => {
        await store.mirror();
        await doAnswer(answeringDeps, { application, integration, crm, life }, errand);
      });
    }
  }

  async function finishConfirmed(): Promise<void> {
    if (swarm.desk.answers === 0) return;
    for (const integration of settings.integrations) {
      const crm = crms.get(integration.id);
      if (crm === undefined) continue;
      await timeline.pass(HOUR_MS);
      await atWork((application, life) =>
        carryOutAll(answeringDeps, { application, integration, crm, life }),
      );
    }
  }

  /** The erasure is repeated in the period without faults, because the product asks users to repeat it. */
  function onErasureLeft(
    { integration, crm }: AnswerWork,
    record: Record_,
    alsoInCrm: boolean,
  ): void {
    const errand = { kind: 'forget', record, typed: record.id, alsoInCrm } as const;
    repeatLater({ integration, crm, errand });
  }
}
