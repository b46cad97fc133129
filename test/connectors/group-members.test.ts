import { expect, it } from 'vitest';
import { eachOnce } from '../../connectors/reading/group-members.ts';
import { toArray } from './connector-options.ts';

const SIGNAL = new AbortController().signal;

it('brings each member of a group once, whichever portions name it', async () => {
  const portions = portionsOf(['1', '2', '1'], ['2', '3'], ['3', '1']);
  expect(await toArray(eachOnce(portions, SIGNAL))).toEqual([['1', '2'], ['3']]);
});

it('lets no group look whole of which only a part was read before the run stopped', async () => {
  const run = new AbortController();
  const members = eachOnce(portionsOf(['1'], ['2']), run.signal);
  expect(await members.next()).toEqual({ done: false, value: ['1'] });
  run.abort();
  await expect(members.next()).rejects.toMatchObject({ kind: 'retriable', code: 'interrupted' });
});

it('asks for no members once the run has stopped', async () => {
  let asked = 0;
  async function* portions(): AsyncGenerator<string[]> {
    asked += 1;
    yield ['1'];
  }
  const members = eachOnce(portions(), AbortSignal.abort());
  await expect(members.next()).rejects.toMatchObject({ code: 'interrupted' });
  expect(asked).toBe(0);
});

async function* portionsOf(...portions: string[][]): AsyncGenerator<string[]> {
  yield* portions;
}
