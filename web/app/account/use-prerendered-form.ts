import { useEffect, useRef, useState, type ChangeEvent, type FocusEvent, type SubmitEvent } from 'react';
import { ApiError } from '#api/transport/api-error';
import { whenIdle } from '#api/transport/idle';
import { useHydrated } from './use-hydrated.ts';

/** A schema of the domain: the French sentence of each field that is not right, or the values. */
interface Schema<Values> {
  safeParse: (
    typed: unknown,
  ) =>
    | { success: true; data: Values }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

interface Options<Name extends string, Values> {
  /** In the order of the page. */
  fields: readonly Name[];
  /** The rules of the form, whose code comes after the page's own. */
  schema: () => Promise<Schema<Values>>;
  send: (values: Values) => Promise<void>;
}

/**
 * The forms of the pages written at build time (sign-in, registration, forgotten password). The document holds what was typed,
 * so nothing typed before the script arrived is lost, and no form library is on the first load. A field is checked once it was
 * left, then at each change.
 */
export function usePrerenderedForm<Name extends string, Values>({ fields, schema, send }: Options<Name, Values>) {
  const ref = useRef<HTMLFormElement>(null);
  const rules = useRef<Promise<Schema<Values>>>(undefined);
  const touched = useRef(new Set<Name>());
  const [errors, setErrors] = useState<Partial<Record<Name, string>>>({});
  const [pending, setPending] = useState(false);
  // A submission before the script has arrived would leave the page with what was typed.
  const isReady = useHydrated();

  // A sentence comes after the focus has gone on, and pushes down what has it.
  useEffect(() => {
    ref.current?.querySelector(':focus')?.scrollIntoView({ block: 'nearest' });
  }, [errors]);

  const load = () => {
    rules.current ??= schema();
    rules.current.catch(() => {
      rules.current = undefined;
    });
    return rules.current;
  };
  // The rules come while the browser is idle; `load` keeps the first of them.
  // eslint-disable-next-line react/exhaustive-deps
  useEffect(() => whenIdle(() => void load().catch(() => undefined)), []);

  const parse = async () => (await load()).safeParse(Object.fromEntries(new FormData(ref.current ?? undefined)));

  const check = async () => {
    const parsed = await parse();
    const found = parsed.success ? [] : parsed.error.issues;
    setErrors(
      sentencesOf(
        fields.filter((name) => touched.current.has(name)),
        found,
      ),
    );
    return parsed;
  };

  const focus = (name: Name | undefined) => {
    const field = name === undefined ? null : ref.current?.elements.namedItem(name);
    if (field instanceof HTMLElement) field.focus();
  };

  const touch = ({ target }: FocusEvent<HTMLElement> | ChangeEvent<HTMLElement>, isLeft: boolean) => {
    const name = fields.find((field) => field === target.getAttribute('name'));
    if (name === undefined) return;
    if (isLeft) touched.current.add(name);
    if (touched.current.has(name)) void check().catch(() => undefined);
  };

  const fill = (values: Partial<Record<Name, string>>) => {
    for (const name of fields) {
      const field = ref.current?.elements.namedItem(name);
      const value = values[name];
      if (!(field instanceof HTMLInputElement) || value === undefined) continue;
      field.value = value;
      touched.current.add(name);
    }
  };

  const submit = async () => {
    setPending(true);
    try {
      for (const name of fields) touched.current.add(name);
      const parsed = await check();
      if (parsed.success) await send(parsed.data);
      else focus(fields.find((name) => parsed.error.issues.some(({ path }) => path.join('.') === name)));
    } finally {
      setPending(false);
    }
  };

  return {
    /** For the `<form>`: its fields carry their `name`. */
    props: {
      ref,
      noValidate: true,
      onBlur: (event: FocusEvent<HTMLFormElement>) => touch(event, true),
      onChange: (event: ChangeEvent<HTMLFormElement>) => touch(event, false),
      onSubmit: (event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        void submit();
      },
    },
    /** For the button that sends it. */
    button: {
      type: 'submit' as const,
      pending,
      disabled: !isReady,
      // Firefox gives a reloaded page the state that its buttons had, but of those that say this.
      autoComplete: 'off',
      className: 'disabled:opacity-100',
    },
    errors,
    /** Fills fields, as if they had been typed in. */
    enter: (values: Partial<Record<Name, string>>) => {
      fill(values);
      void check().catch(() => undefined);
    },
    /** Fills fields and sends them, as if the button had been pressed. */
    enterAndSend: (values: Partial<Record<Name, string>>) => {
      fill(values);
      return submit();
    },
    /** Puts the server's issues under their fields. False where none of them has a field: show the failure instead. */
    showIssues: (error: unknown) => {
      if (!(error instanceof ApiError)) return false;
      const found = sentencesOf(fields, error.issues);
      setErrors(found);
      const first = fields.find((name) => found[name] !== undefined);
      focus(first);
      return first !== undefined;
    },
  };
}

function sentencesOf<Name extends string>(
  names: readonly Name[],
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): Partial<Record<Name, string>> {
  const sentences: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const issue = issues.find(({ path }) => path.join('.') === name);
    if (issue) sentences[name] = issue.message;
  }
  return sentences;
}
