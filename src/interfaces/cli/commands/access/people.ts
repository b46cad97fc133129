import type { Command } from 'commander';
import { z } from 'zod';
import { ROLE_TEXTS, ROLES } from '../../../../core/role.ts';
import {
  changeRights,
  disablePerson,
  emailSchema,
  INVITATION_DAYS,
  type Invited,
  invitationPath,
  inviteAgain,
  invitePerson,
  listPeople,
  type PasskeyView,
  type PeopleDeps,
  type PersonView,
  passkeyUnknown,
  personNameSchema,
  personUnknown,
  removeLostPasskey,
  removePerson,
  waysText,
} from '../../../../people/user-accounts.ts';
import { publicAddress } from '../../../api/webhooks/hook-address.ts';
import {
  baseOptions,
  confirmOrStop,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { findId, formatAgo, formatLast, shortId } from '../../terminal/words.ts';
import { accessText, integrationsSchema, roleSchema, selectIntegrations } from './tokens.ts';

const EXAMPLES = `
Examples:
  donor-sync people invite --name "Anna Kowalski" --email anna@example.org --role owner
  donor-sync people invite --name Ben --email ben@example.org --role decider --integrations riverside
  donor-sync people list
  donor-sync people role ben@example.org --role viewer --integrations riverside,harbor
  donor-sync people link ben@example.org        a new link: the password was forgotten, or the link is too old
  donor-sync people disable ben@example.org     lets the person in no more; "enable" does again
  donor-sync people passkeys list ben@example.org
  donor-sync people passkeys remove ben@example.org 5c0f21     the device was lost
  donor-sync people remove ben@example.org

Roles: ${ROLES.map((role) => `${role} (${ROLE_TEXTS[role]})`).join('; ')}.
A link works once, within ${INVITATION_DAYS} days, and is shown once. Without --integrations a person reaches all.`;

const rightsSchema = baseOptions.extend({ role: roleSchema, integrations: integrationsSchema });

const inviteSchema = rightsSchema.extend({
  name: z
    .string({ error: 'Whose invitation is it? --name "Anna Kowalski"' })
    .pipe(personNameSchema),
  email: z.string({ error: 'Name the e-mail address: --email anna@example.org' }).pipe(emailSchema),
});

const removeSchema = baseOptions.extend({ yes: z.boolean().default(false) });

/** The command `people`: who signs in, and what each may do. */
export function peopleCommand(deps: ProductDeps): Command {
  return productCommand('people', deps)
    .description('invite, list and remove the people who sign in')
    .addCommand(inviteCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(roleCommand(deps))
    .addCommand(linkCommand(deps))
    .addCommand(disableCommand(deps, 'disable'))
    .addCommand(disableCommand(deps, 'enable'))
    .addCommand(passkeysCommand(deps))
    .addCommand(removeCommand(deps))
    .addHelpText('after', EXAMPLES);
}

function inviteCommand(deps: ProductDeps): Command {
  const command = withRights(productCommand('invite', deps))
    .description('invite a person and print the link once')
    .option('--name <name>', 'what the person is called')
    .option('--email <address>', 'what the person signs in with');
  return productAction(deps, command, inviteSchema, async (action) => {
    const { name, email, role, integrations } = action.options;
    const reach = selectIntegrations(action.application, integrations);
    const invited = await invitePerson(peopleDeps(deps, action), {
      name,
      email,
      role,
      integrations: reach,
    });
    giveLink(action, invited);
  });
}

function linkCommand(deps: ProductDeps): Command {
  const command = productCommand('link', deps)
    .description('make a new link for a person and print it once; the one before ends')
    .argument('<person>', 'the e-mail address, or the id as the list shows it');
  return productAction(deps, command, baseOptions, async (action, typed: string) => {
    const people = peopleDeps(deps, action);
    giveLink(action, await inviteAgain(people, (await findPerson(people, typed)).id));
  });
}

function giveLink(
  { settings, output }: Pick<ProductAction<unknown>, 'settings' | 'output'>,
  invited: Invited,
): void {
  const link = publicAddress(settings.server.publicUrl, invitationPath(invited));
  output.finish({ id: invited.id, link, days: INVITATION_DAYS }, () => {
    output.print(link);
    output.note(
      `Send it to the person alone: it is not shown again, and works once within ${INVITATION_DAYS} days.`,
    );
  });
}

function listCommand(deps: ProductDeps): Command {
  const command = productCommand('list', deps).description('list the people and their rights');
  return productAction(deps, command, baseOptions, async (action) => {
    const { output } = action;
    const people = await listPeople(peopleDeps(deps, action));
    output.finish({ people }, () => printPeople(output, people, deps.clock.now()));
  });
}

function printPeople(output: Output, people: readonly PersonView[], now: number): void {
  if (people.length === 0) {
    output.print(
      'There is no person yet. Invite one: donor-sync people invite --name NAME --email ADDRESS --role owner',
    );
    return;
  }
  output.table<PersonView>(
    [
      { header: 'Person', value: ({ id }) => shortId(id) },
      { header: 'Name', value: ({ name }) => name, shrinks: true },
      { header: 'E-mail', value: ({ email }) => email, shrinks: true },
      { header: 'Role', value: ({ role }) => role },
      { header: 'Reaches', value: ({ integrations }) => accessText(integrations), shrinks: true },
      { header: 'Signs in by', value: ({ signsInBy }) => waysText(signsInBy), shrinks: true },
      { header: 'Status', value: ({ status }) => status },
      { header: 'Last seen', value: ({ seenAt }) => formatLast(seenAt, now) },
    ],
    people,
  );
}

function roleCommand(deps: ProductDeps): Command {
  const command = withRights(productCommand('role', deps))
    .description('give a person another role, and the integrations within reach')
    .argument('<person>', 'the e-mail address, or the id as the list shows it');
  return productAction(deps, command, rightsSchema, async (action, typed: string) => {
    const { role, integrations } = action.options;
    const people = peopleDeps(deps, action);
    const { id, name } = await findPerson(people, typed);
    const reach = selectIntegrations(action.application, integrations);
    await changeRights(people, id, { role, integrations: reach });
    action.output.finish({ id, role, integrations: reach }, () =>
      action.output.print(`${name} is ${role}, for ${accessText(reach)}.`),
    );
  });
}

function disableCommand(deps: ProductDeps, word: 'disable' | 'enable'): Command {
  const isDisabled = word === 'disable';
  const command = productCommand(word, deps)
    .description(isDisabled ? 'let a person in no more, from now on' : 'let a person in again')
    .argument('<person>', 'the e-mail address, or the id as the list shows it');
  return productAction(deps, command, baseOptions, async (action, typed: string) => {
    const people = peopleDeps(deps, action);
    const { id, name } = await findPerson(people, typed);
    await disablePerson(people, id, isDisabled);
    action.output.finish({ id, disabled: isDisabled }, () =>
      action.output.print(`${name} ${isDisabled ? 'gets in no more' : 'may sign in again'}.`),
    );
  });
}

function removeCommand(deps: ProductDeps): Command {
  const command = productCommand('remove', deps)
    .description('take a person out, with name, address, password and passkeys')
    .argument('<person>', 'the e-mail address, or the id as the list shows it')
    .option('--yes', 'do not ask');
  return productAction(deps, command, removeSchema, async (action, typed: string) => {
    const people = peopleDeps(deps, action);
    const { id, name } = await findPerson(people, typed);
    await confirmOrStop(deps, `Take ${name} out for good?`, action.options.yes);
    await removePerson(people, id);
    action.output.finish({ removed: id }, () => action.output.print(`${name} is taken out.`));
  });
}

function passkeysCommand(deps: ProductDeps): Command {
  return productCommand('passkeys', deps)
    .description('list and remove the passkeys of a person')
    .addCommand(listPasskeysCommand(deps))
    .addCommand(removePasskeyCommand(deps));
}

function listPasskeysCommand(deps: ProductDeps): Command {
  const command = productCommand('list', deps)
    .description('list the passkeys of a person')
    .argument('<person>', 'the e-mail address, or the id as the list shows it');
  return productAction(deps, command, baseOptions, async (action, typed: string) => {
    const { output } = action;
    const { id, name, signsInBy } = await findPerson(peopleDeps(deps, action), typed);
    const { passkeys } = signsInBy;
    output.finish({ id, passkeys }, () => {
      if (passkeys.length === 0) {
        return output.print(
          `${name} has no passkey. People add theirs under My account on the pages.`,
        );
      }
      const now = deps.clock.now();
      output.table<PasskeyView>(
        [
          { header: 'Passkey', value: (passkey) => shortId(passkey.id) },
          { header: 'Name', value: (passkey) => passkey.name, shrinks: true },
          { header: 'Made', value: ({ createdAt }) => formatAgo(createdAt, now) },
          { header: 'Last used', value: ({ lastUsedAt }) => formatLast(lastUsedAt, now) },
        ],
        passkeys,
      );
    });
  });
}

function removePasskeyCommand(deps: ProductDeps): Command {
  const command = productCommand('remove', deps)
    .description('remove a passkey of a person who lost the device; all their sessions end')
    .argument('<person>', 'the e-mail address, or the id as the list shows it')
    .argument('<passkey>', 'its id as the list shows it')
    .option('--yes', 'do not ask');
  return productAction(
    deps,
    command,
    removeSchema,
    async (action, typed: string, typedPasskey: string) => {
      const people = peopleDeps(deps, action);
      const { id, name, email, signsInBy } = await findPerson(people, typed);
      const { passkeys, password, provider } = signsInBy;
      const ids = passkeys.map((one) => one.id);
      const passkey = findId(typedPasskey, ids);
      const found = passkeys.find((one) => one.id === passkey);
      if (found === undefined) throw passkeyUnknown(typedPasskey);
      const question = `Remove the passkey "${found.name}" of ${name}?`;
      await confirmOrStop(deps, question, action.options.yes);
      await removeLostPasskey(people, id, found.id);
      action.output.finish({ removed: found.id, person: id }, () => {
        action.output.print(`The passkey "${found.name}" lets no one in any more.`);
        if (passkeys.length === 1 && !password && !provider) {
          action.output.note(
            `It was the only way in. A link to set a password: donor-sync people link ${email}`,
          );
        }
      });
    },
  );
}

function withRights(command: Command): Command {
  return command
    .option('--role <role>', ROLES.join(', '))
    .option('--integrations <ids>', 'only these, with commas; all if left out');
}

function peopleDeps(
  { clock }: ProductDeps,
  { application }: Pick<ProductAction<unknown>, 'application'>,
): PeopleDeps {
  return { store: application.store, sealer: application.sealer, clock };
}

/** By the address, or by the id, whole or its end. Throws a ConfigurationError if there is none. */
async function findPerson(deps: PeopleDeps, typed: string): Promise<PersonView> {
  const people = await listPeople(deps);
  const email = typed.trim().toLowerCase();
  const id = findId(
    typed,
    people.map((one) => one.id),
  );
  const person = people.find((one) => one.email === email || one.id === id);
  if (person) return person;
  throw personUnknown(typed);
}
