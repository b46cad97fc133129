import { expect, it } from 'vitest';
import { parseFilter } from '../../../connectors/hubspot/filter.ts';
import { startCpuTime } from '../../helpers/cpu-time.ts';

it.each(['? '.repeat(150), '{? '.repeat(150), '- '.repeat(900)])(
  'a filter of keys within keys is refused at once: %j',
  (text) => {
    const tookMs = startCpuTime();
    expect(() => parseFilter(text)).toThrow('It is nested too deep.');
    expect(tookMs()).toBeLessThan(1_000);
  },
);

it('a filter may have lines of dashes in its comments and its values', () => {
  const line = '-'.repeat(60);
  const filter = { propertyName: 'lifecyclestage', operator: 'EQ', value: line };
  const text = `# ${line}\n# Only customers.\n# ${line}\n- ${JSON.stringify(filter)}`;
  expect(parseFilter(text)).toEqual([[filter]]);
});
