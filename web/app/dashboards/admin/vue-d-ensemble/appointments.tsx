import { dialledPhone } from '@parrain/domain/phone';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { appointmentsQuery, handleAppointment, type Appointment } from '#api/company/appointments';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';

/** Target of the link in « À faire ». */
export const appointmentsId = 'demandes-de-rendez-vous';

/** DF-10: the appointments that visitors asked for, here only while some wait. */
export function Appointments() {
  const { t } = useTranslation();
  const { data } = useQuery(appointmentsQuery);
  if (data === undefined || data.total === 0) return null;
  return (
    <Card id={appointmentsId} className="mt-5 scroll-mt-24 overflow-clip">
      <CardHeader
        title={t('Demandes de rendez-vous')}
        description={countText(data.total, t('visiteur attend votre réponse'), t('visiteurs attendent votre réponse'))}
        level={3}
      />
      <ul className="divide-y divide-hairline">
        {data.appointments.map((appointment) => (
          <AppointmentLine key={appointment.id} appointment={appointment} />
        ))}
      </ul>
    </Card>
  );
}

function AppointmentLine({ appointment }: { appointment: Appointment }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { id, name, email, phone, slot, message, askedAt } = appointment;
  const end = useMutation({
    mutationFn: handleAppointment,
    onSuccess: () => toast.success(t('Demande de rendez-vous traitée')),
  });
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="flex flex-wrap gap-x-3 text-sm text-encre-soft">
          <a className="tap-target wrap-anywhere hover:underline" href={`mailto:${email}`}>
            {email}
          </a>
          {phone !== null && (
            <a className="tap-target hover:underline" href={`tel:${dialledPhone(phone)}`}>
              {phone}
            </a>
          )}
        </p>
        <p className="text-sm wrap-anywhere text-encre-soft">
          {t('Demandé le')} <DateText value={askedAt} withTime />
          {slot !== null && ` · ${t('souhaite : {{slot}}', { slot })}`}
        </p>
        {message !== null && <p className="mt-1 text-sm wrap-anywhere whitespace-pre-line">{message}</p>}
        {end.isError && (
          <Notice tone="error">{messageOf(end.error, t('La demande n’a pas pu être marquée comme traitée.'))}</Notice>
        )}
      </div>
      <Button
        size="sm"
        pending={end.isPending}
        aria-label={t('Marquer traitée la demande de {{name}}', { name })}
        onClick={() => end.mutate(id)}
      >
        {t('Marquer traitée')}
      </Button>
    </li>
  );
}
