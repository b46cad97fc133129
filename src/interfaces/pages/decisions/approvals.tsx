import { actorText } from '../../../privacy/audit-view.ts';
import { ConfirmDialog, NamedId, Status, Timestamp } from '../frame/parts.tsx';
import type { ShownApproval } from './read-page.ts';

export function Approvals({
  approvals,
  now,
}: {
  approvals: readonly ShownApproval[];
  now: number;
}) {
  return (
    <section class="card approvals" aria-labelledby="approvals-title">
      <h2 id="approvals-title">Waiting for a second user</h2>
      <ul>
        {approvals.map((one) => (
          <li key={one.id}>
            <p>
              <strong>
                <ApprovalText approval={one} />
              </strong>{' '}
              {one.href !== null && <a href={one.href}>Review it</a>}
            </p>
            <p class="quiet">
              Requested by {actorText(one.askedBy)} <Timestamp at={one.askedAt} now={now} /> ·
              expires <Timestamp at={one.runsOutAt} now={now} />
            </p>
            <Answers approval={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows the description of the requested action. The browser shows the contact's name before the contact's ID. */
function ApprovalText({ approval }: { approval: ShownApproval }) {
  const { text, contact, integrations } = approval;
  const [client = null] = integrations;
  const at = contact === null ? -1 : text.indexOf(contact);
  if (contact === null || at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <NamedId id={contact} client={client} />
      {text.slice(at + contact.length)}
    </>
  );
}

function Answers({ approval }: { approval: ShownApproval }) {
  const { id, state, isOwn, isAnswerable, mayConfirm } = approval;
  if (state === 'confirmed') return <Status kind="busy" word="Confirmed, being carried out" />;
  return (
    <div class="row">
      {mayConfirm ? (
        <ConfirmDialog
          id={`confirm-${id}`}
          label="Confirm"
          title="Confirm it?"
          action={`/decisions/approvals/${id}/confirm`}
          answer="Confirm"
        >
          <ApprovalText approval={approval} />
        </ConfirmDialog>
      ) : (
        <Status kind="patience" word={isOwn ? 'Waiting for another user' : WHY_NOT} />
      )}
      {isAnswerable && (
        <ConfirmDialog
          id={`refuse-${id}`}
          label={isOwn ? 'Withdraw' : 'Refuse'}
          title={isOwn ? 'Withdraw it?' : 'Refuse it?'}
          action={`/decisions/approvals/${id}/refuse`}
          answer={isOwn ? 'Withdraw' : 'Refuse'}
        >
          The action will not be carried out.
        </ConfirmDialog>
      )}
    </div>
  );
}

const WHY_NOT = 'Waiting for someone who is allowed to confirm it';
