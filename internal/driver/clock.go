package driver

import "github.com/chiaro-gpu/chiaro/internal/abi"

// getCalibratedTimestamps reads clocks at one time. The deviation is the time that it took.
func getCalibratedTimestamps(a *abi.GetCalibratedTimestampsKHRArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	begin := monotonic()
	out := array(a.PTimestamps, a.TimestampCount)
	for i, info := range array(a.PTimestampInfos, a.TimestampCount) {
		switch info.TimeDomain {
		case abi.TimeDomainDeviceKHR:
			out[i] = d.vk.Now()
		case abi.TimeDomainClockMonotonicKHR:
			out[i] = monotonic()
		}
	}
	*a.PMaxDeviation = monotonic() - begin + 1
	return abi.Success
}
