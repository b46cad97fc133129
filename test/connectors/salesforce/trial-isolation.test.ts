import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { people } from '../../../connectors/testing/seeds.ts';
import { type Org, openOrg } from './org.ts';

const API = '/services/data/v67.0/sobjects/Contact';

describe('a composite request of the stand-in that is rolled back', () => {
  let org: Org;
  beforeEach(async () => {
    org = await openOrg();
  });
  afterEach(() => org.close());

  it('takes back nothing that other requests write at the same time', async () => {
    const [tried = '', ...others] = await org.addContacts(people(60));
    const update = (referenceId: string, id: string) => ({
      method: 'PATCH',
      url: `${API}/${id}`,
      referenceId,
      body: { Title: 'tried' },
    });
    const compositeRequest = [update('trial', tried), update('impossible', '003000000000000AAA')];
    const trial = () => org.ask('POST', '/composite', { allOrNone: true, compositeRequest });
    await Promise.all(
      others.flatMap((id) => [
        trial(),
        org.ask('PATCH', `/sobjects/Contact/${id}`, { Title: 'kept' }),
        org.setValue(id, 'Department', 'kept'),
      ]),
    );
    expect(await org.seenValue(tried, 'Title')).toBeNull();
    for (const id of others) {
      expect(await org.seenValue(id, 'Title')).toBe('kept');
      expect(await org.seenValue(id, 'Department')).toBe('kept');
    }
  });
});
