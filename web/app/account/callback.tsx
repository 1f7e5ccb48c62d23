import { arrivalRefusal } from '@parrain/domain/failure-auth';
import { dashboardPathFor } from '@parrain/domain/role';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { openCode, openLink, openTokens, ownerOf, readArrival, type Landed } from '#api/account/arrival';
import { useSession, type Tokens } from '#api/transport/session';
import type { SessionState } from '#api/transport/session-store';
import { Button, buttonClass } from '#ui/button';
import { Notice } from '#ui/notice';
import { nextStep } from './next-step.tsx';

export const meta = () => [{ title: 'Connexion – Parrain' }, { name: 'referrer', content: 'no-referrer' }];

/**
 * Page that the links of mails and the pages of identity providers come back to. It alone opens a session from an address: a mailed link
 * once its button is pressed, a session in the address once its reader says that they want it (DF-28).
 */
export default function Callback() {
  // Another link opened in the same tab changes the fragment alone.
  const { search, hash } = useLocation();
  return <Arrived key={search + hash} />;
}

function Arrived() {
  const { t } = useTranslation();
  const session = useSession();
  const navigate = useNavigate();
  const [arrival] = useState(readArrival);
  const [landed, setLanded] = useState<Landed>();
  const [failure, setFailure] = useState<string>();
  const [isStaying, setIsStaying] = useState(false);

  const [isOpening, setIsOpening] = useState(false);
  const open = async (work: () => Promise<Landed>) => {
    setFailure(undefined);
    setIsOpening(true);
    try {
      setLanded(await work());
    } catch (error) {
      setFailure(messageOf(error, t('La connexion n’a pas abouti. Réessayez.')));
    }
    setIsOpening(false);
  };
  const isKnown = session.status !== 'loading';
  const isOpen = isKnown && session.status !== 'visitor' && !(session.status === 'failed' && !session.isOpen);
  const byItself = arrival.kind === 'code' ? () => openCode(arrival.code) : undefined;
  const hasBegun = useRef(false);
  // An address is used up once, however often React draws the page.
  useEffect(() => {
    if (!isKnown || byItself === undefined || hasBegun.current) return;
    hasBegun.current = true;
    void open(byItself);
  });

  if (arrival.kind === 'refused') return <Refused code={arrival.code} />;
  if (landed?.kind === 'refused') return <Refused code={landed.code} />;
  if (arrival.kind === 'half' || landed?.kind === 'half') {
    return (
      <Landing title={t('Une adresse confirmée sur deux')}>
        <Notice tone="success">
          {t('Il reste à ouvrir le lien envoyé à votre autre adresse : le changement prend effet ensuite.')}
        </Notice>
      </Landing>
    );
  }
  const isAddressChanged =
    landed?.kind === 'open' && 'type' in arrival && arrival.type === 'email_change' && session.status === 'signed-in';
  if (isAddressChanged) {
    return (
      <Landing
        title={t('Votre adresse est changée')}
        action={
          <Link to={dashboardPathFor(session.profile.role)} className={buttonClass({ variant: 'primary', size: 'lg' })}>
            {t('Ouvrir mon espace')}
          </Link>
        }
      >
        <p className="text-encre-soft wrap-anywhere">
          {t('Vous vous connectez désormais avec {{email}}.', { email: session.profile.email })}
        </p>
      </Landing>
    );
  }
  if (landed?.kind === 'open' || isStaying || arrival.kind === 'nothing') {
    const next = nextStep(session);
    if (next) return next;
    // A visitor with nothing in their hands.
    if (session.status === 'visitor') return <Refused code="" />;
  } else if (isKnown && arrival.kind === 'link') {
    return (
      <OpenLink
        title={t(linkTitles[arrival.type] ?? 'Connexion')}
        current={isOpen ? currentOf(session) : undefined}
        failure={failure}
        onOpen={() => open(() => openLink(arrival))}
        onStay={() => setIsStaying(true)}
      />
    );
  } else if (isKnown && arrival.kind === 'tokens' && !isOpening) {
    return (
      <OtherSession
        tokens={arrival.tokens}
        current={isOpen ? currentOf(session) : undefined}
        failure={failure}
        onOpen={() => open(() => openTokens(arrival.tokens, arrival.type))}
        onDead={() => setLanded({ kind: 'refused', code: '' })}
        onStay={() => (isOpen ? setIsStaying(true) : void navigate('/auth/login'))}
      />
    );
  }
  if (failure !== undefined) {
    return (
      <Landing title={t('Connexion impossible')}>
        <Notice tone="error">{failure}</Notice>
      </Landing>
    );
  }
  return (
    <p role="status" className="animate-late text-encre-soft">
      <span className="sr-only">{t('Connexion')}</span>
      {t('Ouverture de votre espace…')}
    </p>
  );
}

const linkTitles: Readonly<Record<string, string>> = {
  signup: 'Confirmez votre adresse',
  email_change: 'Confirmez votre nouvelle adresse',
  invite: 'Votre accès est prêt',
};

/** E-mail of the person whose session is open; empty where it is not known. */
function currentOf(session: SessionState): string {
  if (session.status === 'signed-in') return session.profile.email;
  return 'email' in session ? session.email : '';
}

interface Opening {
  /** E-mail of the person whose session is open and would end here. */
  current: string | undefined;
  failure: string | undefined;
  onOpen: () => Promise<void>;
  onStay: () => void;
}

/** Programs that open the links of mails to inspect them press nothing. */
function OpenLink({ title, current, failure, onOpen, onStay }: Opening & { title: string }) {
  const { t } = useTranslation();
  return (
    <Landing
      title={title}
      action={<Choice label={t('Continuer')} onOpen={onOpen} onStay={current === undefined ? undefined : onStay} />}
    >
      {failure !== undefined && (
        <Notice tone="error" className="mb-4">
          {failure}
        </Notice>
      )}
      <p className="text-encre-soft">{t('Appuyez sur le bouton pour continuer. Ce lien ne sert qu’une fois.')}</p>
      {current !== undefined && <ReplacedSession current={current} />}
    </Landing>
  );
}

/** A session of an address: whose it is, and whether that is wanted, over the one that is open if there is one. */
function OtherSession({
  tokens,
  current,
  failure,
  onOpen,
  onStay,
  onDead,
}: Opening & { tokens: Tokens; onDead: () => void }) {
  const { t } = useTranslation();
  const [owner, setOwner] = useState<string>();
  const isAsked = useRef(false);
  // The server says whose session this is.
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    void ownerOf(tokens)
      .catch(() => null)
      .then((found) => (found === null ? onDead() : setOwner(found)));
  });
  return (
    <Landing
      title={current === undefined ? t('Ouvrir cette session ?') : t('Changer de compte ?')}
      action={
        owner === undefined ? undefined : (
          <Choice
            label={current === undefined ? t('Ouvrir cette session') : t('Ouvrir cette autre session')}
            stayLabel={current === undefined ? t('Ne pas l’ouvrir') : t('Garder ma session')}
            onOpen={onOpen}
            onStay={onStay}
            isStayFirst
          />
        )
      }
    >
      {failure !== undefined && (
        <Notice tone="error" className="mb-4">
          {failure}
        </Notice>
      )}
      {owner !== undefined && (
        <p className="wrap-anywhere text-encre-soft">
          {t('Cette adresse ouvre la session du compte {{email}}.', { email: owner })}
        </p>
      )}
      <Notice tone="warning" className="mt-4">
        <span className="wrap-anywhere">
          {current === undefined
            ? t(
                'Si ce compte n’est pas le vôtre, ne l’ouvrez pas : ce que vous y écririez serait lu par son propriétaire.',
              )
            : t(
                'Vous êtes connecté avec {{email}} : ouvrir l’autre session met fin à celle-ci dans ce navigateur. Si vous ne l’avez pas demandé, gardez votre session.',
                { email: current },
              )}
        </span>
      </Notice>
    </Landing>
  );
}

function ReplacedSession({ current }: { current: string }) {
  const { t } = useTranslation();
  return (
    <Notice tone="warning" className="mt-4">
      <span className="wrap-anywhere">
        {t(
          'Vous êtes connecté avec {{email}}. Continuer met fin à cette session dans ce navigateur, si le lien est celui d’un autre compte. Si vous ne l’avez pas demandé, restez où vous êtes.',
          { email: current },
        )}
      </span>
    </Notice>
  );
}

function Choice({
  label,
  stayLabel,
  onOpen,
  onStay,
  isStayFirst = false,
}: {
  label: string;
  /** « Garder ma session » where nothing else is said. */
  stayLabel?: string;
  onOpen: () => Promise<void>;
  onStay: (() => void) | undefined;
  /** Nobody asked for this session: to stay is the main choice. */
  isStayFirst?: boolean;
}) {
  const { t } = useTranslation();
  const [pending, setPending] = useState(false);
  const press = async () => {
    setPending(true);
    await onOpen();
    setPending(false);
  };
  const open = (
    <Button variant={isStayFirst ? 'secondary' : 'primary'} size="lg" pending={pending} onClick={() => void press()}>
      {label}
    </Button>
  );
  const stay = onStay !== undefined && (
    <Button variant={isStayFirst ? 'primary' : 'secondary'} size="lg" onClick={onStay}>
      {stayLabel ?? t('Garder ma session')}
    </Button>
  );
  return isStayFirst ? (
    <>
      {stay}
      {open}
    </>
  ) : (
    <>
      {open}
      {stay}
    </>
  );
}

function Refused({ code }: { code: string }) {
  const { t } = useTranslation();
  const refusal = arrivalRefusal(code);
  const isLink = code === 'otp_expired' || refusal === undefined;
  return (
    <Landing
      title={isLink ? t('Ce lien ne peut plus servir') : t('La connexion n’a pas abouti')}
      action={
        <>
          <Link to="/auth/login-link" className={buttonClass({ variant: 'primary', size: 'lg' })}>
            {t('Recevoir un nouveau lien')}
          </Link>
          <Link to="/auth/login" className={buttonClass({ size: 'lg' })}>
            {t('Se connecter')}
          </Link>
        </>
      }
    >
      <Notice tone="warning">{t(refusal ?? arrivalRefusal('otp_expired') ?? '')}</Notice>
    </Landing>
  );
}

function Landing({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {title}
      </h1>
      <div className="mt-4">{children}</div>
      {action && <div className="mt-6 flex gap-2 max-sm:flex-col">{action}</div>}
    </>
  );
}
