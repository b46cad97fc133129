import { anchorOf } from './anchors.ts';
import { Dialog } from './parts.tsx';

/** Of an integration whose last run stopped because too few were known: look, and accept if right. */
export function AcceptRate(props: { integration: { id: string; name: string } }) {
  const { id, name } = props.integration;
  const button = `${anchorOf(id)}_accept`;
  const dialog = `${button}_question`;
  return (
    <>
      <button type="button" class="button" id={button} popovertarget={dialog}>
        Accept this rate
      </button>
      <Dialog id={dialog} title={`Send the contacts of ${name} all the same?`}>
        <p>
          The service knew few of the contacts that were sent first. If their columns are right, all
          others can be sent: a credit each. That is remembered until the columns change.
        </p>
        <form class="row" method="post" action={`/integrations/${id}/accept-match-rate`}>
          <button type="submit" class="button primary">
            Accept and sync
          </button>
          <button type="button" class="button" popovertarget={dialog} popovertargetaction="hide">
            Cancel
          </button>
        </form>
      </Dialog>
    </>
  );
}

/** The way to a few persons as they would be sent; for admins, since it shows names. */
export function PersonsLink({ id }: { id: string }) {
  return <a href={`/integrations/${id}/persons`}>See what is sent</a>;
}
