import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const startedSchema = z.strictObject({
  run: z.looseObject({ id: z.string(), status: z.string() }),
  joined: z.string().nullable(),
});
const stoppedSchema = z.strictObject({ run: z.looseObject({ id: z.string() }), state: z.string() });

describe('donor-sync stop', () => {
  it('takes a queued run out of the queue, by its ID or by its client, as the API does', async () => {
    const world = await open({ people: 1 });
    const { run } = await world.runJson(['runs', 'start', 'riverside'], startedSchema);
    const again = await world.runJson(['runs', 'start', 'riverside'], startedSchema);
    expect(again).toMatchObject({ run: { id: run.id }, joined: 'waiting' });
    const stopped = await world.runJson(['stop', run.id], stoppedSchema);
    expect(stopped).toMatchObject({ run: { id: run.id }, state: 'dropped' });

    const next = await world.runJson(['runs', 'start', 'riverside'], startedSchema);
    const { stdout } = await world.run(['stop', 'riverside']);
    expect(stdout).toContain(`Run ${next.run.id} of "riverside" was queued, and will not start.`);
    const over = await world.run(['stop', 'riverside', '--json']);
    expect(over).toMatchObject({ exitCode: 2 });
    expect(errorSchema.parse(JSON.parse(over.stdout)).error.code).toBe('run_over');
    expect((await world.run(['sync'])).exitCode).toBe(0);
  });
});
