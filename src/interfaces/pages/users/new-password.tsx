import { MIN_PASSWORD_LENGTH } from '../../../people/sign-in/password.ts';

/** The field of a form in which a person chooses a password; a problem stands in the element `refused`. */
export function NewPassword(props: { label: string; hint: string; hasProblem: boolean }) {
  const { label, hint, hasProblem } = props;
  return (
    <>
      <label for="fresh">{label}</label>
      <input
        id="fresh"
        name="fresh"
        type="password"
        autocomplete="new-password"
        minlength={MIN_PASSWORD_LENGTH}
        aria-describedby={hasProblem ? 'fresh-hint refused' : 'fresh-hint'}
        required
      />
      <p class="quiet" id="fresh-hint">
        At least {MIN_PASSWORD_LENGTH} characters{hint}
      </p>
    </>
  );
}
