import { systemClock } from '../../src/core/clock.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { controlService } from '../helpers/service-control.ts';
import {
  type HttpWorld,
  type HttpWorldOptions,
  openHttpWorld,
} from '../interfaces/api/http-world.ts';

/** The last name that contacts get in the CRM while their jobs run. */
export const STRANGER = 'Quillfeather';

/** The wait (ms) after which a change is older than `settleAfterMs`, so that the product reads it. */
const SETTLED_MS = 400;

const DAY_MS = 86_400_000;

/** The number of days after which the service has deleted the results of a job. */
const DAYS_OF_JOBS = 9;

export interface HeldWorld extends HttpWorld {
  /** The IDs of the held contacts, in the order in which the contacts were added. */
  held: string[];
  /** Makes the service delete its earlier results. */
  forgetResults(): Promise<void>;
  spent(): Promise<number>;
  sync(): Promise<void>;
}

/**
 * Creates contacts whose last names have changed during their enhancement. The product therefore holds each contact.
 */
export async function openHeldWorld(
  count: number,
  options: HttpWorldOptions = {},
): Promise<HeldWorld> {
  const jobs = holdJobs();
  let later = 0;
  const clock = () => jobs.service.clock() + later;
  const world = await openHttpWorld({
    ...options,
    service: { ...jobs.service, clock, ...options.service },
    integration: {
      guards: { trial: { size: 0 } },
      refresh: { whenIdentityChanges: false },
      ...options.integration,
    },
  });
  const control = controlService(world.service);
  const held = await world.addPeople(count);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  while ((await control.spent()) < count) await systemClock.sleep(20);
  for (const id of held) world.crm.editContact(id, { lastName: STRANGER });
  jobs.letEnd();
  await world.untilEnded(runId);
  const sync = async (full = false) => {
    const asked = { integrationId: 'riverside', trigger: 'manual', full } as const;
    await world.untilEnded((await world.runner.request(asked)).runId);
  };
  await systemClock.sleep(SETTLED_MS);
  // The user's earlier approval applies only to the old names.
  await sync(true);
  return {
    ...world,
    held,
    spent: control.spent,
    async forgetResults() {
      // The service deletes old jobs when it creates a new job.
      later = DAYS_OF_JOBS * DAY_MS;
      const { baseUrl, apiKey } = world.service;
      const persons = [{ tracking_id: 'later', name: { first: 'Later', last: 'Person' } }];
      const answer = await fetch(`${baseUrl}/enhancements`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ persons }),
      });
      if (!answer.ok) throw new Error(await answer.text());
      later = 0;
    },
    sync: () => sync(),
  };
}
