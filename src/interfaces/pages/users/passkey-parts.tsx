import type { PropsWithChildren } from 'hono/jsx';
import type { PasskeyOffer } from '../../../people/sign-in/passkeys.ts';

/**
 * Renders a form that the passkey script shows and fills in. If the script cannot do this, the page shows the reason.
 * The page needs the asset `passkeyScript`.
 */
export function PasskeyForm(
  props: PropsWithChildren<{
    offer: PasskeyOffer;
    kind: 'get' | 'create';
    /** The address to which the form is sent. Defaults to the page's own address. */
    action?: string;
    /** The address of the same form with a new challenge. Defaults to the page's own address. */
    page?: string;
    label: string;
    isPrimary?: boolean;
    /** True if the browser also suggests passkeys in the email address field. */
    isAutofill?: boolean;
  }>,
) {
  const { offer, kind, action, page, label, isPrimary = false, isAutofill = false } = props;
  return (
    <div class="passkey">
      <form
        hidden
        method="post"
        class="fields"
        action={action}
        data-passkey={kind}
        data-origin={offer.origin}
        data-options={offer.options}
        data-page={page}
        data-autofill={isAutofill ? '' : undefined}
      >
        {props.children}
        <input type="hidden" name="way" value={offer.way} />
        <input type="hidden" name="response" value="" autocomplete="off" />
        <p class="refused" role="alert" data-problem hidden></p>
        <button type="submit" class={isPrimary ? 'button primary' : 'button'}>
          {label}
        </button>
      </form>
      <p class="quiet" data-elsewhere hidden>
        Passkeys work at <a href={offer.origin}>{offer.origin}</a> only, and you are using another
        address.
      </p>
      <p class="quiet" data-unable hidden>
        This browser is too old for passkeys.
      </p>
      <noscript>
        <p class="quiet">Passkeys need JavaScript.</p>
      </noscript>
    </div>
  );
}
