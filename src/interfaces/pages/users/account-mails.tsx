import { MAIL_RULES, type MailKind } from '../../../core/mail-kinds.ts';
import type { MailsView } from '../../../operations/mails.ts';
import { TableCell, TableHead } from '../frame/parts.tsx';

/** Renders the monthly emails to this user, each with a switch. */
export function AccountMails({ mails }: { mails: MailsView }) {
  const { email, isVerified, problem, kinds } = mails;
  const isWaiting = kinds.some(({ isOn }) => isOn) && !isVerified;
  return (
    <section class="card" id="mails" aria-labelledby="mails-title">
      <h2 id="mails-title">Monthly emails</h2>
      <p class="quiet">
        donor-sync sends each email once a month to {email}. It contains counts, links and the names
        of clients, but no names of contacts and no amounts.
      </p>
      {problem !== null && <p class="note">{problem}</p>}
      {isWaiting && (
        <p class="note">
          To confirm {email}, open the link in the email that donor-sync has sent you.
        </p>
      )}
      <table class="stacks">
        <caption class="hidden">Emails that you can choose</caption>
        <TableHead texts={['Email', 'Content', 'State', <span class="hidden">Change</span>]} />
        <tbody>
          {kinds
            .filter(({ isAllowed, isOn }) => isAllowed || isOn)
            .map(({ kind, isOn }) => (
              <MailSwitch
                kind={kind}
                isOn={isOn}
                isVerified={isVerified}
                hasServer={problem === null}
              />
            ))}
        </tbody>
      </table>
    </section>
  );
}

interface SwitchProps {
  kind: MailKind;
  isOn: boolean;
  isVerified: boolean;
  /** True if donor-sync can send emails. */
  hasServer: boolean;
}

function describeState({ isOn, isVerified }: Pick<SwitchProps, 'isOn' | 'isVerified'>): string {
  if (!isOn) return 'off';
  return isVerified ? 'on' : 'waits until you confirm the address';
}

function MailSwitch({ kind, isOn, isVerified, hasServer }: SwitchProps) {
  const { name, content } = MAIL_RULES[kind];
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label="Content" class="wide">
        {content}
      </td>
      <TableCell label="State">{describeState({ isOn, isVerified })}</TableCell>
      <td class="action">
        <form method="post" action={`/account/mails/${kind}`}>
          {isOn && !isVerified && hasServer && (
            <button type="submit" class="button small" name="state" value="on">
              Send the link again
            </button>
          )}{' '}
          <button
            type="submit"
            class="button small"
            name="state"
            value={isOn ? 'off' : 'on'}
            disabled={!isOn && !hasServer}
          >
            Turn {isOn ? 'off' : 'on'}
            <span class="hidden"> the email {name}</span>
          </button>
        </form>
      </td>
    </tr>
  );
}
