/**
 * Shows owners the links between donor-sync users and CRM users. Each user manages their own links under *My account*.
 */
import { z } from 'zod';
import { ConfigurationError } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import { deleteCrmUser } from '../people/statements/crm-users.ts';
import { linkedSchema, readLinks } from './doors/link.ts';
import { changing, reading } from './kit/operation.ts';
import { findUser, USER } from './users.ts';

export const listUserCrmUsers = reading({
  name: 'users crm-users list',
  summary: 'List the users of CRMs who are linked to a user',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: z.object({ user: z.string(), name: z.string(), links: z.array(linkedSchema) }),
  async run(world, { user }) {
    const { id, name } = await findUser(world, user);
    return { user: id, name, links: await readLinks(world, id) };
  },
  say: ({ name, links }) => `${name} has ${describeCount(links.length, 'link')}.`,
  table: ({ name, links }) => ({
    empty: `${name} is not linked to a CRM user. Users create such a link on the card in the CRM.`,
    headers: ['CRM', 'Account', 'E-mail', 'Linked', 'ID'],
    rows: links.map(({ crm, account, email, linkedAt, id }) => [
      ...[crm, account, email],
      { at: linkedAt },
      id,
    ]),
  }),
});

/** Removes a link. From the card's next request on, the card shows no values. */
export const unlinkUserCrmUser = changing({
  name: 'users crm-users unlink',
  summary:
    'End a link between a user and a user of a CRM, for example of someone who lost their CRM account',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({ user: USER, link: z.string().describe('The whole ID of the link') }),
  subjects: ['user', 'link'],
  result: z.object({ unlinked: z.string(), user: z.string(), name: z.string() }),
  async run(world, { user: typed, link }) {
    const { id, name } = await findUser(world, typed);
    if (!(await deleteCrmUser(world.trx, id, link))) throw crmLinkUnknown(link);
    return { unlinked: link, user: id, name };
  },
  say: ({ name }) =>
    `The link was ended. The card in the CRM can no longer act for ${name}. ${name} can link it again.`,
});

function crmLinkUnknown(link: string): ConfigurationError {
  return new ConfigurationError(
    `This user has no link "${link}" to a CRM user. Nothing was changed. List the links: donor-sync users crm-users list USER`,
    { code: 'crm_link_unknown', refusal: 'unknown', details: { link } },
  );
}
